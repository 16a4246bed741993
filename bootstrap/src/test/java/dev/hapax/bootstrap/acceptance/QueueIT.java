package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.QueueFull;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.WaitingRun;
import io.grpc.Status.Code;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs that wait for tokens, on two servers. */
class QueueIT {
  private static final String TOKEN = "customer/7";
  private static final Deployment deployment = Deployment.start();
  private static final String other = deployment.add().awaitReady();

  private final QueueCaller caller = QueueCaller.to(deployment.target());
  private final QueueCaller elsewhere = caller.via(other);
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

  private RunStatus status(Run run) {
    return caller.runs().get(run.getId()).getStatus();
  }

  private StartRunRequest.Builder limited(int limit, QueueFull full) {
    var request = caller.start(TOKEN);
    request.getHooksBuilder(0).setQueueLimit(limit).setQueueFull(full);
    return request;
  }

  @Test
  @DisplayName(
      "100 starts on one token over two servers run one by one, in the order of their turns")
  @Tag("turns-F1")
  @Tag("H14")
  void order() throws Exception {
    var number = 100;
    var ended = new AtomicInteger();
    var workers =
        IntStream.range(0, 4)
            .mapToObj(
                i -> threads.submit(() -> work(i % 2 == 0 ? caller : elsewhere, ended, number)))
            .toList();
    var starts =
        IntStream.range(0, number)
            .mapToObj(i -> threads.submit(() -> (i % 2 == 0 ? caller : elsewhere).queue(TOKEN)))
            .toList();
    var runs = new ArrayList<String>();
    for (var start : starts) {
      runs.add(start.get().getId());
    }
    for (var worker : workers) {
      worker.get();
    }
    var histories = new TreeMap<Long, List<RunEvent>>();
    for (var run : runs) {
      var history = caller.runs().events(run);
      assertThat(history.getLast().getType()).isEqualTo(RunEventType.RUN_EVENT_TYPE_COMPLETED);
      histories.put(turn(history), history);
    }
    assertThat(histories).as("each has its own turn").hasSize(number);
    var free = Instant.MIN;
    for (var history : histories.values()) {
      assertThat(at(history, RunEventType.RUN_EVENT_TYPE_STEP_STARTED))
          .as("after the end of the one before")
          .isAfterOrEqualTo(free);
      free = at(history, RunEventType.RUN_EVENT_TYPE_COMPLETED);
    }
  }

  private static void work(QueueCaller server, AtomicInteger ended, int number) {
    while (ended.get() < number) {
      for (var task : server.runs().poll(server.runs().polling("w").setWait(Caller.millis(500)))) {
        var _ = server.runs().complete(task.getClaim(), "1");
        ended.incrementAndGet();
      }
    }
  }

  /** The first one did not wait. */
  private static long turn(List<RunEvent> history) {
    return history.stream()
        .filter(RunEvent::hasBlocked)
        .mapToLong(event -> event.getBlocked().getTurn())
        .findFirst()
        .orElse(0);
  }

  private static Instant at(List<RunEvent> history, RunEventType type) {
    return history.stream()
        .filter(event -> event.getType() == type)
        .map(event -> instant(event.getAt()))
        .findFirst()
        .orElseThrow();
  }

  private static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  @Test
  @DisplayName("whatever ends the owner, the next run starts at a worker of the other server")
  @Tag("turns-F2")
  @Tag("H15")
  void everyEnd() {
    var ends =
        List.<Consumer<Run>>of(
            run -> caller.hooks().cancel(run.getId()),
            run -> fail(run, caller),
            run -> caller.work(run.getId()),
            run -> {
              caller.hooks().dispose(TOKEN);
              // the run that gave its token away is still there
              caller.work(run.getId());
            });
    var owner = caller.queue(TOKEN);
    for (var end : ends) {
      var next = caller.waits(TOKEN);
      end.accept(owner);
      elsewhere.work(next.getId());
      assertThat(caller.events(next.getId()))
          .startsWith(
              RunEventType.RUN_EVENT_TYPE_CREATED,
              RunEventType.RUN_EVENT_TYPE_BLOCKED,
              RunEventType.RUN_EVENT_TYPE_ADMITTED,
              RunEventType.RUN_EVENT_TYPE_HOOK_CREATED,
              RunEventType.RUN_EVENT_TYPE_STEP_STARTED);
      owner = caller.queue(TOKEN);
    }
    var superseded = caller.waits(TOKEN);
    var newcomer =
        caller.hooks().send(caller.hooks().start(TOKEN, OnConflict.ON_CONFLICT_SUPERSEDE)).getRun();
    assertThat(status(owner)).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    elsewhere.work(newcomer.getId());
    elsewhere.work(superseded.getId());
  }

  private static void fail(Run run, QueueCaller server) {
    var task = server.runs().poll("worker");
    assertThat(task.getRun().getId()).isEqualTo(run.getId());
    var _ =
        server
            .runs()
            .worker()
            .failTask(
                server.runs().failure(task.getClaim(), FailureKind.FAILURE_KIND_FINAL).build());
  }

  @Test
  @DisplayName(
      "a full line rejects, and its key can be used again; or the newest run waits instead")
  @Tag("turns-F5")
  @Tag("H16")
  void full() {
    var owner = caller.queue(TOKEN);
    var second = caller.waits(TOKEN);
    var third = limited(1, QueueFull.QUEUE_FULL_REJECT).setIdempotencyKey("third");
    var rejected = elsewhere.hooks().send(third);
    assertThat(rejected.getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(rejected.getOwner().getRunId()).isEqualTo(owner.getId());

    var instead = caller.hooks().send(limited(1, QueueFull.QUEUE_FULL_SUPERSEDE));
    assertThat(instead.getDisposition()).isEqualTo(Disposition.DISPOSITION_QUEUED);
    assertThat(instead.getSupersededRunIdsList()).containsExactly(second.getId());
    var cancelled = caller.runs().get(second.getId());
    assertThat(cancelled.getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    assertThat(cancelled.getSupersededBy()).isEqualTo(instead.getRun().getId());

    var _ = caller.hooks().cancel(instead.getRun().getId());
    var queued = QueueCaller.queued(elsewhere.hooks().send(third));
    assertThat(queued.getCreated()).isTrue();
    assertThat(queued.getRunsAhead()).isZero();
    assertThat(elsewhere.hooks().send(third).getDisposition())
        .isEqualTo(Disposition.DISPOSITION_EXISTING);
    caller.work(owner.getId());
    caller.work(queued.getRun().getId());
  }

  @Test
  @DisplayName("when the first of two lines is cancelled, the next one starts")
  @Tag("turns-F6")
  void cancelledFirst() {
    var owner = caller.queue("b");
    var first = caller.waits("a", "b");
    var next = caller.waits("a");
    assertThat(caller.hook("a").hasHook()).isFalse();
    var _ = caller.hooks().cancel(first.getId());
    var one = elsewhere.runs().poll("w").getRun().getId();
    var started = List.of(owner.getId(), next.getId());
    assertThat(List.of(one, caller.runs().poll("w").getRun().getId()))
        .containsExactlyInAnyOrderElementsOf(started);
    assertThat(caller.hook("a").getHook().getRunId()).isEqualTo(next.getId());
  }

  @Test
  @DisplayName("when all that wait are cancelled, the token of an ended owner is free at once")
  @Tag("turns-F8")
  @Tag("H17")
  void allCancelled() throws Exception {
    var owner = caller.queue(TOKEN);
    var waiting = new ArrayList<Run>();
    for (var start :
        IntStream.range(0, 1_000)
            .mapToObj(_ -> threads.submit(() -> caller.waits(TOKEN)))
            .toList()) {
      waiting.add(start.get());
    }
    assertThat(caller.hook(TOKEN).getHook().getWaiting()).isEqualTo(1_000);
    assertThat(caller.hook(TOKEN).getWaitingList())
        .hasSize(20)
        .isSortedAccordingTo(Comparator.comparing(run -> instant(run.getSince())));
    assertThat(caller.hooks().send(caller.start(TOKEN)).getDisposition())
        .as("the default limit")
        .isEqualTo(Disposition.DISPOSITION_REJECTED);
    for (var cancel :
        waiting.stream()
            .map(run -> threads.submit(() -> elsewhere.hooks().cancel(run.getId())))
            .toList()) {
      cancel.get();
    }
    assertThat(QueueCaller.queued(caller.hooks().send(caller.start(TOKEN))).getRunsAhead())
        .as("they count no longer")
        .isZero();
    var _ = caller.hooks().cancel(caller.hook(TOKEN).getWaiting(0).getRunId());
    caller.work(owner.getId());
    var free = caller.hooks().send(caller.hooks().start(TOKEN, OnConflict.ON_CONFLICT_REJECT));
    assertThat(free.getDisposition()).isEqualTo(Disposition.DISPOSITION_CREATED);
  }

  @Test
  @DisplayName(
      "a start in the future waits for its turn, owns the token, and then waits for its time")
  @Tag("turns-F9")
  void startAt() {
    var owner = caller.queue(TOKEN);
    var later = Instant.now().plusSeconds(3_600).getEpochSecond();
    var delayed =
        QueueCaller.queued(
                caller
                    .hooks()
                    .send(caller.start(TOKEN).setStartAt(Timestamp.newBuilder().setSeconds(later))))
            .getRun();
    caller.work(owner.getId());
    Condition.await(
        "it owns the token", () -> caller.hook(TOKEN).getHook().getRunId().equals(delayed.getId()));
    assertThat(status(delayed)).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    assertThat(caller.runs().explain(delayed.getId()).getReason())
        .isEqualTo(ExplainReason.EXPLAIN_REASON_START_AT);
  }

  @Test
  @DisplayName("a failed owner is retried while its token is free, and conflicts afterwards")
  @Tag("turns-F10")
  void retry() {
    var owner = caller.queue(TOKEN);
    fail(owner, caller);
    var retried = caller.runs().runs().retryRun(retry(owner)).getRun();
    var next = caller.waits(TOKEN);
    assertThat(retried.getStatus()).isEqualTo(RunStatus.RUN_STATUS_RUNNING);
    fail(owner, caller);
    elsewhere.work(next.getId());
    var last = caller.queue(TOKEN);
    var refusal = Refusal.of(() -> caller.runs().runs().retryRun(retry(owner)));
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_HOOK_CONFLICT);
    caller.work(last.getId());
  }

  private RetryRunRequest retry(Run run) {
    return RetryRunRequest.newBuilder()
        .setWorkspace(caller.runs().workspace())
        .setRunId(run.getId())
        .build();
  }

  @Test
  @DisplayName("GetHook and ExplainRun show the line, and the token leads to its first run")
  @Tag("turns-F11")
  void explained() {
    var owner = caller.queue(TOKEN, "b");
    var first = caller.waits(TOKEN);
    var second = caller.waits(TOKEN);
    assertThat(caller.hook(TOKEN).getHook().getRunId()).isEqualTo(owner.getId());
    assertThat(caller.hook(TOKEN).getHook().getWaiting()).isEqualTo(2);
    assertThat(caller.hook(TOKEN).getWaitingList())
        .extracting(WaitingRun::getRunId)
        .containsExactly(first.getId(), second.getId());
    var turn = caller.runs().explain(second.getId());
    assertThat(turn.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_TURN);
    assertThat(turn.getSentencesList())
        .anySatisfy(
            sentence ->
                assertThat(sentence).contains("1 run before it in line", owner.getId(), "PENDING"));
    assertThat(caller.runs().explain(owner.getId()).getSentencesList())
        .anySatisfy(sentence -> assertThat(sentence).startsWith("2 runs wait for its token"));

    var late = caller.waits("b", "c");
    assertThat(caller.hook("c").hasHook()).isFalse();
    var sent = caller.hooks().hooks().signalHook(caller.hooks().toOwner("c", "s").build());
    assertThat(sent.getRunId()).isEqualTo(late.getId());
    var awaited =
        caller
            .runs()
            .runs()
            .awaitRun(
                AwaitRunRequest.newBuilder()
                    .setWorkspace(caller.runs().workspace())
                    .setToken("c")
                    .setWait(Caller.millis(1))
                    .build())
            .getRun();
    assertThat(awaited.getId()).isEqualTo(late.getId());
    var created =
        Refusal.of(
            () ->
                caller
                    .hooks()
                    .hooks()
                    .createHook(caller.hooks().creation(late.getId(), "d").build()));
    assertThat(created.reason()).isEqualTo(ErrorReason.ERROR_REASON_ILLEGAL_TRANSITION);
  }

  @Test
  @DisplayName("bad hooks are refused with the path of the field, and nothing is stored")
  void badInput() {
    var bad =
        Map.of(
            "hooks[1].on_conflict",
            caller.start("a").addHooks(StartRunRequest.Hook.newBuilder().setToken("b")),
            "hooks[0].queue_limit",
            limited(10_001, QueueFull.QUEUE_FULL_UNSPECIFIED),
            "hooks[0].queue_full",
            limited(2, QueueFull.QUEUE_FULL_SUPERSEDE));
    bad.forEach((path, start) -> assertThat(refused(start)).containsExactly(path));
    assertThat(refused(limited(-1, QueueFull.QUEUE_FULL_UNSPECIFIED)))
        .containsExactly("hooks[0].queue_limit");
    var rejecting = limited(1, QueueFull.QUEUE_FULL_UNSPECIFIED);
    rejecting.getHooksBuilder(0).setOnConflict(OnConflict.ON_CONFLICT_REJECT);
    assertThat(refused(rejecting)).containsExactly("hooks[0].queue_limit");
    var full = limited(0, QueueFull.QUEUE_FULL_REJECT);
    full.getHooksBuilder(0).setOnConflict(OnConflict.ON_CONFLICT_SUPERSEDE);
    assertThat(refused(full)).containsExactly("hooks[0].queue_full");
    assertThat(caller.runs().list()).isEmpty();
  }

  private List<String> refused(StartRunRequest.Builder start) {
    var refusal = Refusal.of(() -> caller.hooks().send(start));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_INVALID_FIELD);
    return refusal.fields();
  }

  @Test
  @DisplayName("given runs that end while they wait, then their places are removed")
  void leftPlaces() {
    var owner = caller.queue(TOKEN, "b");
    var both = caller.waits(TOKEN, "b");
    var one = caller.waits(TOKEN);
    assertThat(places()).isEqualTo(3);
    var _ = caller.hooks().cancel(both.getId());
    assertThat(places()).isEqualTo(1);
    var _ = caller.hooks().cancel(one.getId());
    assertThat(places()).isZero();
    assertThat(status(owner)).isEqualTo(RunStatus.RUN_STATUS_PENDING);
  }

  private int places() {
    return deployment.places(caller.runs().workspace());
  }
}
