package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.StartRunsResponse;
import dev.hapax.v1.Step;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Executes what is in the folder of examples, as its reader would. */
@Tag("long")
class ExamplesIT {
  private static final Path DEFINITION = Path.of("..", "examples", "definitions", "order.json");
  private static final List<String> STEPS = List.of("reserve", "charge", "ship");
  private static final int RUNS = 20;
  private static final int PATIENCE_SECONDS = 60;

  @BeforeAll
  static void install() throws IOException {
    Npm.prepare();
  }

  @Test
  @DisplayName("the operation in Node charges once, and a duplicate gets the first answer")
  void once() {
    try (var node = Npm.example(Deployment.shared().target(), "once.js")) {
      assertThat(node.awaitExit()).as("said: %s", node.errors()).isZero();
      assertThat(node.output()).hasSize(3).last().isEqualTo("charged 1 time");
      assertThat(node.output().get(1)).isEqualTo(node.output().getFirst());
    }
  }

  @Test
  @DisplayName("the worker in Node completes the orders; each result is stored once")
  void worker() throws InterruptedException {
    try (var deployment = Deployment.start();
        var node = Npm.example(deployment.target(), "worker.js")) {
      apply(deployment.target(), DEFINITION);
      var channel = TestAccess.channel(deployment.target()).build();
      var orders = startOrders(channel);
      var declined = startOrders(channel, 2000).getFirst();

      orders.forEach(order -> assertDone(channel, order));

      var failed = awaitEnd(channel, declined);
      assertThat(failed.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
      assertThat(failed.getFailure().getCode()).isEqualTo("CARD_DECLINED");
      assertThat(failed.getCurrentStep()).isEqualTo("charge");
      assertThat(steps(channel, declined).get(1).getAttempt()).isEqualTo(1);

      node.terminate();
      assertThat(node.awaitExit()).as("said: %s", node.errors()).isZero();
      channel.shutdownNow().awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private static void apply(String target, Path definition) {
    try (var hapax =
        HapaxProcess.start("definition", "apply", definition.toString(), "--server=" + target)) {
      assertThat(hapax.awaitExit()).as("said: %s", hapax.errors()).isZero();
      assertThat(hapax.output()).containsExactly("registered: order 1");
    }
  }

  private static List<Run> startOrders(ManagedChannel channel) {
    return startOrders(channel, IntStream.rangeClosed(1, RUNS).toArray());
  }

  private static List<Run> startOrders(ManagedChannel channel, int... amounts) {
    var request = StartRunsRequest.newBuilder();
    for (int amount : amounts) {
      request.addRequests(
          StartRunRequest.newBuilder()
              .setDefinition("order")
              .setIdempotencyKey("order of " + amount)
              .setInput(
                  Payload.newBuilder()
                      .setJson(String.format(Locale.ROOT, "{\"amount\": %d}", amount))));
    }
    return runs(channel).startRuns(request.build()).getResultsList().stream()
        .map(StartRunsResponse.Result::getResponse)
        .map(started -> started.getRun())
        .toList();
  }

  private static void assertDone(ManagedChannel channel, Run order) {
    var run = awaitEnd(channel, order);
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(run.getOutput().getJson()).startsWith("{\"shipped\":true,\"charged\":");
    assertThat(steps(channel, order)).extracting(Step::getName).containsExactlyElementsOf(STEPS);
    var events = events(channel, order);
    assertThat(events)
        .filteredOn(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)
        .extracting(RunEvent::getStepName)
        .containsExactlyElementsOf(STEPS);
    assertThat(events)
        .extracting(RunEvent::getVersion)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, events.size()).mapToObj(version -> (long) version).toList());
  }

  private static Run awaitEnd(ManagedChannel channel, Run run) {
    return runs(channel)
        .awaitRun(
            AwaitRunRequest.newBuilder().setRunId(run.getId()).setWait(Caller.seconds(30)).build())
        .getRun();
  }

  private static List<Step> steps(ManagedChannel channel, Run run) {
    return runs(channel)
        .listSteps(ListStepsRequest.newBuilder().setRunId(run.getId()).build())
        .getStepsList();
  }

  private static List<RunEvent> events(ManagedChannel channel, Run run) {
    return runs(channel)
        .listRunEvents(
            ListRunEventsRequest.newBuilder().setRunId(run.getId()).setPageSize(500).build())
        .getEventsList();
  }

  private static RunServiceBlockingStub runs(ManagedChannel channel) {
    return RunServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
