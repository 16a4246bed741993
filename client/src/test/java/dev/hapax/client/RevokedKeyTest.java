package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.Poller;
import dev.hapax.client.operation.OperationPolicy;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.operation.Operations;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.run.RunWatch;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.TaskContext;
import dev.hapax.client.worker.TaskResult;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a client while its key is revoked, and after it is replaced. */
@Timeout(60)
class RevokedKeyTest {

  private static final String OTHERS = FakeAccess.SECOND_KEY;

  /** Clients on the channel in this process send no key. */
  private static final String OWN = "";

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final List<String> handled = new ArrayList<>();

  @AfterEach
  void close() {
    hapax.close();
  }

  private TaskResult note(TaskContext task) {
    handled.add(task.stepName());
    return Completion.of(PayloadCodec.json(), "1");
  }

  @Test
  @Tag("A4")
  @DisplayName("given a worker, when its key is revoked and replaced, then it goes on by itself")
  void worker() {
    hapax.worker().executor(Runnable::run).handleQueue("orders", this::note).start();
    try (var log = LogRecorder.of(Poller.class)) {
      hapax.access.accept(OTHERS);
      hapax.work.start("order", "orders/charge");
      hapax.timing.advance(Duration.ofMinutes(2));

      assertThat(handled).isEmpty();
      // ended, and tried after 5, 15, 35, 65, 95 s
      assertThat(hapax.access.rejected()).isEqualTo(6);
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("ERROR hapax.v1.WorkerService/PollTasks was rejected, will retry every 5 to")
          .contains("UNAUTHENTICATED", "unknown API key");

      hapax.access.accept(OWN);
      hapax.timing.advance(Duration.ofSeconds(30));
      assertThat(handled).containsExactly("charge");
      assertThat(log.lines()).hasSize(2);
      assertThat(log.lines().get(1))
          .isEqualTo("INFO hapax.v1.WorkerService/PollTasks is accepted again");

      hapax.access.accept(OTHERS);
      assertThat(log.lines()).as("the next revocation is logged again").hasSize(3);
    }
  }

  @Test
  @DisplayName("given work that is done, when its key is replaced during the lease, it is recorded")
  void completion() {
    hapax
        .worker()
        .executor(Runnable::run)
        .handleQueue(
            "orders",
            task -> {
              hapax.access.accept(OTHERS);
              return note(task);
            })
        .start();
    hapax.work.start("order", "orders/charge");
    hapax.timing.advance(Duration.ofSeconds(20));
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).isEmpty();

    hapax.access.accept(OWN);
    hapax.timing.advance(Duration.ofSeconds(3));
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).hasSize(1);
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("given an open watch, when its key is replaced, then it goes on; if not, it fails")
  void watch() {
    var runs = hapax.client().runs();
    String runId = runs.start(RunRequest.of("order")).getRun().getId();
    List<Long> seen = new ArrayList<>();
    RunWatch watch = runs.watch(runId, 0, event -> seen.add(event.getVersion()));
    hapax.timing.advance(Duration.ofMinutes(1));
    hapax.runs.happens(1);

    hapax.access.accept(OTHERS);
    hapax.access.accept(OWN);
    hapax.timing.advance(Duration.ofSeconds(3));
    hapax.runs.happens(2);
    assertThat(seen).containsExactly(1L, 2L);

    hapax.timing.advance(Duration.ofMinutes(1));
    hapax.access.accept(OTHERS);
    hapax.timing.advance(Duration.ofSeconds(3));
    assertThatThrownBy(watch.ended()::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(HapaxException.Unauthenticated.class);
    assertThat(hapax.access.rejected()).isEqualTo(3);
  }

  @Test
  @DisplayName(
      "given a policy that fails open, when the key is revoked, then the work does not run")
  void failOpen() {
    hapax.access.accept(OTHERS);
    Operations operations = hapax.client().operations();
    OperationRequest request =
        OperationRequest.of("shop.Charge", "request-1")
            .withPolicy(OperationPolicy.DEFAULT.withFailOpen(true));

    assertThatThrownBy(
            () ->
                operations.execute(
                    request,
                    PayloadCodec.text(),
                    running -> {
                      handled.add("charge");
                      return "";
                    }))
        .isInstanceOf(HapaxException.Unauthenticated.class)
        .hasMessageContaining("check the API key");
    assertThat(handled).isEmpty();
    assertThat(operations.failedOpen()).isZero();
    assertThat(hapax.access.rejected()).as("on a stream, and by itself").isEqualTo(2);
  }
}
