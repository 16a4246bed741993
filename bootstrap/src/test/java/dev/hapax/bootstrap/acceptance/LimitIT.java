package dev.hapax.bootstrap.acceptance;

import static dev.hapax.bootstrap.acceptance.LimitCaller.limit;
import static dev.hapax.bootstrap.acceptance.LimitCaller.step;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.Definition;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.Limit;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.StartRunRequest;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs at limited steps, on two servers. */
class LimitIT {
  private static final Deployment deployment = Deployment.start();
  private static final String other = deployment.add().awaitReady();

  private final LimitCaller caller = LimitCaller.to(deployment.target());
  private final LimitCaller elsewhere = caller.via(other);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterAll
  static void stop() {
    deployment.close();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    elsewhere.close();
    caller.close();
  }

  private RunStatus status(String run) {
    return caller.runs().get(run).getStatus();
  }

  private String starts() {
    return caller.start("order", "acme").getId();
  }

  /** Nothing is left behind. */
  private void checkEmpty() {
    Condition.await(
        "no run counts or waits",
        () ->
            caller.list().stream()
                .allMatch(limit -> limit.getRunning() == 0 && limit.getWaiting() == 0));
  }

  @Test
  @DisplayName("200 runs over two servers are never more than five at the step, and all end")
  @Tag("turns-L1")
  void never() throws Exception {
    caller.runs().define("order", step("call", limit(5)));
    var number = 200;
    var ended = new AtomicInteger();
    var workers =
        IntStream.range(0, 20)
            .mapToObj(
                i -> threads.submit(() -> work(i % 2 == 0 ? caller : elsewhere, ended, number)))
            .toList();
    var starts =
        IntStream.range(0, number)
            .mapToObj(
                i ->
                    threads.submit(
                        () -> (i % 2 == 0 ? caller : elsewhere).start("order", "acme").getId()))
            .toList();
    var histories = new ArrayList<List<RunEvent>>();
    for (var start : starts) {
      start.get();
    }
    for (var worker : workers) {
      worker.get();
    }
    for (var start : starts) {
      histories.add(caller.runs().events(start.get()));
    }
    var changes = new TreeMap<Timestamp, Integer>(Timestamps.comparator());
    for (var history : histories) {
      assertThat(history.getLast().getType()).isEqualTo(RunEventType.RUN_EVENT_TYPE_COMPLETED);
      for (var event : history) {
        var change =
            switch (event.getType()) {
              case RUN_EVENT_TYPE_STEP_STARTED -> 1;
              case RUN_EVENT_TYPE_STEP_COMPLETED -> -1;
              default -> 0;
            };
        changes.merge(event.getAt(), change, Integer::sum);
      }
    }
    var held = 0;
    for (var change : changes.values()) {
      held += change;
      assertThat(held).isBetween(0, 5);
    }
    checkEmpty();
  }

  private static void work(LimitCaller server, AtomicInteger ended, int number) {
    while (ended.get() < number) {
      for (var task : server.runs().poll(server.runs().polling("w").setWait(Caller.millis(500)))) {
        var _ = server.runs().complete(task.getClaim(), "1");
        ended.incrementAndGet();
      }
    }
  }

  @Test
  @DisplayName("given a value with many runs that wait, then runs of another value start at once")
  @Tag("turns-L2")
  void otherValue() throws Exception {
    caller.runs().define("order", step("call", limit(1)));
    var first = starts();
    var waiting = IntStream.range(0, 500).mapToObj(_ -> threads.submit(this::starts)).toList();
    for (var run : waiting) {
      run.get();
    }
    assertThat(caller.state("acme").getWaiting()).isEqualTo(500);
    caller.take(first);
    var others = elsewhere.start("order", "other").getId();
    elsewhere.work(others);
    assertThat(status(others)).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  @DisplayName("two limits that cross, and a token with a limit, block no run for ever")
  @Tag("turns-L3")
  void crossed() {
    var second = Limit.newBuilder().setName("second").setMaxRunning(1);
    caller.runs().define("both", step("call", limit(1), second.clone()));
    caller.runs().define("one", step("call", limit(1)));
    caller.runs().define("other", step("call", second.clone()));
    var holder = caller.start("one", "acme").getId();
    var both = caller.start("both", "acme").getId();
    var behind = elsewhere.start("other", "").getId();
    assertThat(caller.events(both)).contains(RunEventType.RUN_EVENT_TYPE_BLOCKED);
    assertThat(caller.events(behind)).contains(RunEventType.RUN_EVENT_TYPE_BLOCKED);
    caller.work(holder);
    elsewhere.work(both);
    caller.work(behind);

    var owner = queued("t");
    var next = queued("t");
    assertThat(caller.events(next)).contains(RunEventType.RUN_EVENT_TYPE_BLOCKED);
    elsewhere.work(owner);
    caller.work(next);
  }

  private String queued(String token) {
    var hook =
        StartRunRequest.Hook.newBuilder()
            .setToken(token)
            .setOnConflict(OnConflict.ON_CONFLICT_QUEUE);
    return caller.runs().send(caller.runs().start("one").addHooks(hook)).getRun().getId();
  }

  @Test
  @DisplayName("while a failed attempt waits for its retry, another run has its place")
  @Tag("turns-L4")
  void retryPause() {
    var step = step("call", limit(1)).toBuilder();
    step.getTaskBuilder().setRetry(RetryPolicy.newBuilder().setMaxAttempts(10));
    caller.runs().define("order", step.build());
    var first = starts();
    var next = starts();
    var failure =
        caller
            .runs()
            .failure(caller.take(first).getClaim(), FailureKind.FAILURE_KIND_RETRYABLE)
            .setRetryAfter(Caller.millis(200));
    var _ = caller.runs().worker().failTask(failure.build());
    var held = elsewhere.take(next);
    Condition.await("it waits again", () -> caller.state("acme").getWaiting() == 1);
    assertThat(caller.runs().explain(first).getReason())
        .isEqualTo(ExplainReason.EXPLAIN_REASON_LIMIT);
    var _ = elsewhere.runs().complete(held.getClaim(), "1");
    caller.work(first);
    checkEmpty();
  }

  @Test
  @DisplayName("SetLimit raises, lowers and frees a limit at once")
  @Tag("turns-L5")
  void set() {
    caller.runs().define("order", step("call", limit(1)));
    var runs = IntStream.range(0, 4).mapToObj(_ -> starts()).toList();
    assertThat(caller.state("acme"))
        .matches(limit -> limit.getRunning() == 1 && limit.getWaiting() == 3)
        .matches(limit -> limit.getMaxRunning() == 1 && limit.hasOldestSince());
    assertThat(elsewhere.set("", 3).getSetting().getMaxRunning()).isEqualTo(3);
    assertThat(elsewhere.set("", 3).getAlready()).isTrue();
    assertThat(caller.state("acme"))
        .matches(limit -> limit.getRunning() == 3 && limit.getMaxRunning() == 3);
    var _ = caller.set("acme", 1);
    caller.work(runs.get(0));
    assertThat(caller.state("acme").getSetting().getMaxRunning()).isEqualTo(1);
    caller.work(runs.get(1));
    assertThat(caller.state("acme").getWaiting()).as("still two run before").isEqualTo(1);
    assertThat(caller.set("acme", 0).hasSetting()).isFalse();
    caller.work(runs.get(2));
    caller.work(runs.get(3));
    checkEmpty();
  }

  @Test
  @DisplayName("when a worker is gone, its place is free at the end of its lease")
  @Tag("turns-L6")
  void lostWorker() {
    var step = step("call", limit(1)).toBuilder();
    step.getTaskBuilder().setLease(Caller.millis(500));
    caller.runs().define("order", step.build());
    var first = starts();
    var next = starts();
    var lost = caller.take(first);
    elsewhere.work(next);
    var _ = caller.runs().worker();
    assertThat(lost.getRun().getId()).isEqualTo(first);
    caller.work(first);
  }

  @Test
  @DisplayName("ExplainRun names the limit and its number; runs without a value share a line")
  @Tag("turns-L9")
  void explained() {
    var byInput =
        Limit.newBuilder().setName(LimitCaller.LIMIT).setInput("/a~1b/0").setMaxRunning(1);
    caller.runs().define("order", step("call", byInput));
    var valued =
        caller
            .runs()
            .send(caller.runs().start("order").setInput(Caller.json("{\"a/b\":[7]}")))
            .getRun()
            .getId();
    var first = caller.start("order", "").getId();
    var second = caller.start("order", "").getId();
    assertThat(caller.state("7").getRunning()).isEqualTo(1);
    assertThat(caller.state(""))
        .matches(limit -> limit.getRunning() == 1 && limit.getWaiting() == 1);
    var why = caller.runs().explain(second);
    assertThat(why.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_LIMIT);
    assertThat(why.getSentencesList())
        .contains("Limit \"api\": 1 run of 1 at the step, it is first in line.");
    var blocked = caller.runs().events(second).getLast().getBlocked();
    assertThat(blocked.getLimit()).isEqualTo(LimitCaller.LIMIT);
    assertThat(blocked.getLimitKey()).isEmpty();
    caller.work(valued);
    caller.work(first);
    caller.work(second);
  }

  @Test
  @DisplayName("GetDefinition shows limits; bad ones are refused with the path of the field")
  void definitions() {
    var limits = List.of(limit(7), Limit.newBuilder().setName("b").setInput("/x").setMaxRunning(1));
    caller.runs().define("order", step("call", limits.toArray(Limit.Builder[]::new)));
    assertThat(definition().getSteps(0).getTask().getLimitsList())
        .containsExactlyElementsOf(limits.stream().map(Limit.Builder::build).toList());
    refused("limits[0].max_running", limit(0));
    refused("limits[0].max_running", limit(1_001));
    refused("limits[0].name", limit(1).setName(""));
    refused("limits[0].input", limit(1).setInput("tenant"));
    refused("limits[0].label", limit(1).setLabel(""));
    refused("limits", limit(1), limit(2));
    refused(
        "limits",
        IntStream.range(0, 5)
            .mapToObj(i -> limit(1).setName("n" + i))
            .toArray(Limit.Builder[]::new));
    for (var bad :
        List.of(
            SetLimitRequest.newBuilder().setMaxRunning(1),
            SetLimitRequest.newBuilder().setName("a"),
            SetLimitRequest.newBuilder().setName("a").setMaxRunning(0),
            SetLimitRequest.newBuilder().setName("a").setMaxRunning(-1),
            SetLimitRequest.newBuilder().setName("a").setRemove(false))) {
      assertThat(Refusal.of(() -> caller.limits().setLimit(bad.build())).code())
          .isEqualTo(Code.INVALID_ARGUMENT);
    }
  }

  private Definition definition() {
    return DefinitionServiceGrpc.newBlockingStub(caller.runs().caller().channel())
        .getDefinition(
            GetDefinitionRequest.newBuilder()
                .setWorkspace(caller.runs().workspace())
                .setName("order")
                .build())
        .getDefinition();
  }

  private void refused(String field, Limit.Builder... limits) {
    var refusal = Refusal.of(() -> caller.runs().define("bad", step("call", limits)));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.fields()).containsExactly("steps[0].task." + field);
  }

  @Test
  @DisplayName("given a run that ends while it waits at a limit, then its place is removed with it")
  void leftPlaces() {
    caller.runs().define("order", step("call", limit(1)));
    var first = starts();
    var second = starts();
    assertThat(places()).isEqualTo(1);
    var _ =
        caller
            .runs()
            .runs()
            .cancelRun(
                CancelRunRequest.newBuilder()
                    .setWorkspace(caller.runs().workspace())
                    .setRunId(second)
                    .build());
    assertThat(places()).isZero();
    caller.work(first);
    checkEmpty();
  }

  private int places() {
    return deployment.places(caller.runs().workspace());
  }
}
