package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.Codec;
import dev.hapax.client.HookRequest;
import dev.hapax.client.Hooks;
import dev.hapax.client.RunCancelledException;
import dev.hapax.client.RunDefinition;
import dev.hapax.client.RunRequest;
import dev.hapax.client.RunSignal;
import dev.hapax.client.Runs;
import dev.hapax.client.StepPolicy;
import dev.hapax.client.Worker;
import dev.hapax.client.Workflow;
import dev.hapax.examples.ProcessOrder;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The example, with a worker of the client library and a real server. */
class ProcessOrderIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String ORDER = "\"4711\"";
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();
  private final Runs runs = Runs.newBuilder(caller.channel()).workspace(caller.workspace()).build();
  private final Hooks hooks =
      Runs.newBuilder(caller.channel()).workspace(caller.workspace()).hooks();
  private final ConcurrentLinkedQueue<String> charged = new ConcurrentLinkedQueue<>();
  private final ProcessOrder example =
      new ProcessOrder(runs, hooks, (stepId, order) -> charged.add(stepId));
  private Worker worker;

  @BeforeEach
  void work() {
    WORKER
  }

  @AfterEach
  void close() {
    worker.close();
    caller.close();
  }
}
