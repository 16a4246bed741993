package dev.hapax.bootstrap.acceptance;

import static dev.hapax.bootstrap.acceptance.LimitCaller.limit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.util.Durations;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.Limit;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.StepDefinition;
import io.grpc.Status.Code;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs of limited definitions, on two servers. */
@Tag("turns-L8")
class DefinitionLimitIT {
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

  private RegisterDefinitionRequest.Builder definition(
      List<Limit> limits, StepDefinition... steps) {
    return RegisterDefinitionRequest.newBuilder()
        .setWorkspace(caller.runs().workspace())
        .setName("order")
        .setVersion("1")
        .addAllLimits(limits)
        .addAllSteps(List.of(steps));
  }

  private DefinitionServiceGrpc.DefinitionServiceBlockingStub definitions() {
    return DefinitionServiceGrpc.newBlockingStub(caller.runs().caller().channel());
  }

  private void define(int maxRunning, StepDefinition... steps) {
    var limits = List.of(limit(maxRunning).build());
    var _ = definitions().registerDefinition(definition(limits, steps).build());
  }

  private StartRunRequest.Builder order() {
    return caller.runs().start("order").putLabels(LimitCaller.LABEL, "acme");
  }

  private StartRunResponse starts() {
    return caller.runs().send(order());
  }

  private String run() {
    return starts().getRun().getId();
  }

  private LimitState state() {
    return caller.state("acme");
  }

  private void await(String run, RunStatus status) {
    Condition.await(run + " is " + status, () -> caller.runs().get(run).getStatus().equals(status));
  }

  private void cancel(String run) {
    var _ =
        elsewhere
            .runs()
            .runs()
            .cancelRun(
                CancelRunRequest.newBuilder()
                    .setWorkspace(caller.runs().workspace())
                    .setRunId(run)
                    .build());
  }

  private void retry(String run) {
    var _ =
        elsewhere
            .runs()
            .runs()
            .retryRun(
                RetryRunRequest.newBuilder()
                    .setWorkspace(caller.runs().workspace())
                    .setRunId(run)
                    .setRequestId("again")
                    .build());
  }

  private void checkEmpty() {
    Condition.await(
        "no run counts or waits", () -> state().getRunning() == 0 && state().getWaiting() == 0);
  }

  @Test
  @DisplayName("runs that sleep count until they end; others are QUEUED, and start in their order")
  void asleep() {
    define(2, RunCaller.signal("approval", "approved"), RunCaller.task("charge"));
    var sleeping = List.of(run(), run());
    await(sleeping.get(1), RunStatus.RUN_STATUS_WAITING);
    var third = starts();
    assertThat(third.getDisposition()).isEqualTo(Disposition.DISPOSITION_QUEUED);
    assertThat(third.getCreated()).isTrue();
    assertThat(third.getRunsAhead()).isZero();
    assertThat(third.getRun().getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    var fourth = starts();
    assertThat(fourth.getRunsAhead()).isEqualTo(1);
    assertThat(state())
        .matches(limit -> limit.getOfDefinitions() && limit.getMaxRunning() == 2)
        .matches(limit -> limit.getRunning() == 2 && limit.getWaiting() == 2);

    var why = elsewhere.runs().explain(fourth.getRun().getId());
    assertThat(why.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_LIMIT);
    assertThat(why.getSentencesList())
        .contains("Limit \"api\" (\"acme\"): 2 runs of 2 have started, 1 run before it in line.");
    var blocked = caller.runs().events(fourth.getRun().getId()).getLast().getBlocked();
    assertThat(blocked.getOfDefinition()).isTrue();
    assertThat(blocked.getLimit()).isEqualTo(LimitCaller.LIMIT);
    assertThat(blocked.getLimitKey()).isEqualTo("acme");

    var _ = caller.runs().signal(sleeping.getFirst(), "s", "approved");
    elsewhere.work(sleeping.getFirst());
    await(third.getRun().getId(), RunStatus.RUN_STATUS_WAITING);
    cancel(sleeping.get(1));
    await(fourth.getRun().getId(), RunStatus.RUN_STATUS_WAITING);
    assertThat(caller.events(fourth.getRun().getId()))
        .containsSequence(
            RunEventType.RUN_EVENT_TYPE_BLOCKED, RunEventType.RUN_EVENT_TYPE_ADMITTED);
    cancel(third.getRun().getId());
    cancel(fourth.getRun().getId());
    checkEmpty();
  }

  @Test
  @DisplayName("50 runs over two servers: never more than three have started, and all end")
  void never() throws Exception {
    define(3, RunCaller.task("first"), RunCaller.task("second"));
    var number = 50;
    var ended = new AtomicInteger();
    var workers =
        IntStream.range(0, 10)
            .mapToObj(
                i -> threads.submit(() -> work(i % 2 == 0 ? caller : elsewhere, ended, 2 * number)))
            .toList();
    var starts =
        IntStream.range(0, number)
            .mapToObj(
                i ->
                    threads.submit(
                        () -> (i % 2 == 0 ? caller : elsewhere).start("order", "acme").getId()))
            .toList();
    var most = 0;
    for (var start : starts) {
      most = Math.max(most, unended());
      start.get();
    }
    while (ended.get() < 2 * number) {
      most = Math.max(most, unended());
    }
    assertThat(most).isBetween(1, 3);
    for (var worker : workers) {
      worker.get();
    }
    for (var start : starts) {
      assertThat(caller.runs().get(start.get()).getStatus())
          .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
    checkEmpty();
  }

  /** How many runs have started and not ended. */
  private int unended() {
    return Math.toIntExact(
        caller.runs().list().stream()
            .filter(run -> run.getStatus().equals(RunStatus.RUN_STATUS_RUNNING))
            .count());
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
  @DisplayName("a run that failed is retried above the number, and the others wait for both")
  void retried() {
    define(1, RunCaller.task("charge"));
    var first = run();
    var failure =
        caller.runs().failure(caller.take(first).getClaim(), FailureKind.FAILURE_KIND_FINAL);
    var _ = caller.runs().worker().failTask(failure.build());
    var second = run();
    var third = starts();
    assertThat(third.getDisposition()).isEqualTo(Disposition.DISPOSITION_QUEUED);
    var held = caller.take(second);
    retry(first);
    var again = caller.take(first);
    assertThat(state()).matches(limit -> limit.getRunning() == 2 && limit.getWaiting() == 1);
    var _ = caller.runs().complete(held.getClaim(), "1");
    Condition.await("one is left", () -> state().getRunning() == 1);
    assertThat(state().getWaiting()).isEqualTo(1);
    var _ = elsewhere.runs().complete(again.getClaim(), "1");
    caller.work(third.getRun().getId());
    checkEmpty();
  }

  @Test
  @DisplayName("a run in line is cancelled or starts too late: the next one takes its place")
  void leaves() {
    define(1, RunCaller.task("charge"));
    var first = run();
    var late = caller.runs().send(order().setStartTimeout(Caller.millis(300))).getRun().getId();
    var cancelled = run();
    var last = run();
    await(late, RunStatus.RUN_STATUS_FAILED);
    cancel(cancelled);
    caller.work(first);
    elsewhere.work(last);
    checkEmpty();
  }

  @Test
  @DisplayName("SetLimit of definitions does not touch the limit of steps with its name")
  void set() {
    define(1, LimitCaller.step("call", limit(1)));
    var first = run();
    var second = run();
    var request =
        SetLimitRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setName(LimitCaller.LIMIT)
            .setMaxRunning(2);
    var _ = elsewhere.limits().setLimit(request.clone().build());
    assertThat(caller.runs().get(second).getVersion()).isEqualTo(2);
    var _ = caller.set("", 0);
    var _ = elsewhere.limits().setLimit(request.setOfDefinitions(true).build());
    Condition.await(
        "it waits at its step",
        () ->
            caller.runs().events(second).getLast().getBlocked().getTurn() > 0
                && !caller.runs().events(second).getLast().getBlocked().getOfDefinition());
    assertThat(caller.list())
        .extracting(LimitState::getKey, LimitState::getOfDefinitions, LimitState::getMaxRunning)
        .containsExactly(tuple("", true, 2), tuple("acme", false, 1), tuple("acme", true, 2));
    caller.work(first);
    elsewhere.work(second);
  }

  @Test
  @DisplayName("a rate lets runs start evenly, whatever their retries; SetLimit applies at once")
  @Tag("turns-L7")
  void rate() {
    var limits = List.of(LimitCaller.rate(1, Durations.fromHours(1)).build());
    var _ = definitions().registerDefinition(definition(limits, RunCaller.task("charge")).build());
    var first = run();
    var failure =
        caller.runs().failure(caller.take(first).getClaim(), FailureKind.FAILURE_KIND_FINAL);
    var _ = caller.runs().worker().failTask(failure.build());
    var waits = starts();
    assertThat(waits.getDisposition()).isEqualTo(Disposition.DISPOSITION_QUEUED);
    var run = waits.getRun().getId();
    assertThat(caller.runs().events(run).getLast().getBlocked())
        .matches(blocked -> blocked.getRate() && blocked.getOfDefinition());
    assertThat(state())
        .matches(limit -> limit.getOfDefinitions() && limit.hasNextAt() && limit.getWaiting() == 1);
    assertThat(elsewhere.runs().explain(run).getSentencesList())
        .anyMatch(
            why ->
                why.startsWith("Limit \"api\" (\"acme\"): at most 1 start in 1h, the next one may")
                    && why.endsWith(", it is first in line."));
    retry(first);
    caller.work(first);
    assertThat(state().getWaiting()).isEqualTo(1);
    var _ =
        elsewhere
            .limits()
            .setLimit(
                SetLimitRequest.newBuilder()
                    .setWorkspace(caller.runs().workspace())
                    .setName(LimitCaller.LIMIT)
                    .setOfDefinitions(true)
                    .setMaxStarts(10_000)
                    .setPer(Durations.fromSeconds(1))
                    .build());
    caller.work(run);
    checkEmpty();
  }

  @Test
  @DisplayName("a start by SQL waits as well")
  void sql() throws Exception {
    define(1, RunCaller.task("charge"));
    var labels = "labels => '{\"%s\": \"acme\"}'".formatted(LimitCaller.LABEL);
    try (var sql = SqlCaller.to(deployment.database(), caller.runs())) {
      var first = run();
      var intent = sql.await(sql.post("start_run", "'order', '1', " + labels));
      Condition.await("it waits", () -> state().getWaiting() == 1);
      caller.work(first);
      elsewhere.work(intent.getStarted().getRunId());
      var refused = sql.await(sql.post("start_run", "'order', '1', token => 't'"));
      assertThat(refused.getError().getMessage()).contains("limits");
    }
  }

  @Test
  @DisplayName("GetDefinition shows limits; bad ones, and tokens, are refused with their path")
  void fields() {
    define(7, RunCaller.task("charge"));
    var found =
        definitions()
            .getDefinition(
                GetDefinitionRequest.newBuilder()
                    .setWorkspace(caller.runs().workspace())
                    .setName("order")
                    .build())
            .getDefinition();
    assertThat(found.getLimitsList()).containsExactly(limit(7).build());
    refused("limits[0].max_running", limit(0));
    refused("limits[0].name", limit(1).setName(""));
    refused("limits[0].input", limit(1).setInput("tenant"));
    refused("limits", limit(1), limit(2));
    for (var policy : List.of(OnConflict.ON_CONFLICT_REJECT, OnConflict.ON_CONFLICT_QUEUE)) {
      var start = order();
      start.addHooksBuilder().setToken("t").setOnConflict(policy);
      var refusal = Refusal.of(() -> caller.runs().send(start));
      assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
      assertThat(refusal.fields()).containsExactly("hooks");
    }
    assertThat(caller.runs().list()).isEmpty();
  }

  private void refused(String field, Limit.Builder... limits) {
    var request =
        definition(
                IntStream.range(0, limits.length).mapToObj(i -> limits[i].build()).toList(),
                RunCaller.task("charge"))
            .setName("bad");
    var refusal = Refusal.of(() -> definitions().registerDefinition(request.build()));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.fields()).containsExactly(field);
  }
}
