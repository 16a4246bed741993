package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time stands still; handlers run on threads of their own until {@link #go} lets them end. */
@Timeout(60)
class WorkerRenewalTest {

  private static final Duration THIRD = Duration.ofSeconds(10);

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Hapax client =
      Hapax.builder().channel(hapax.channel).timing(hapax.timing).connect();
  private final CountDownLatch go = new CountDownLatch(1);
  private final List<Task> tasks = new CopyOnWriteArrayList<>();
  private final AtomicInteger told = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  @AfterEach
  void close() {
    go.countDown();
    hapax.close();
  }

  private Worker.Builder worker() {
    return client
        .worker()
        .clock(new TimingClock(hapax.timing))
        .executor(task -> new Thread(task).start())
        .queue("orders", this::untilLetGo);
  }

  private @Nullable Object untilLetGo(Task task) throws InterruptedException {
    task.claim().onLost(told::incrementAndGet);
    tasks.add(task);
    try {
      go.await();
    } catch (InterruptedException lost) {
      interrupted.incrementAndGet();
      throw lost;
    } finally {
      ended.incrementAndGet();
    }
    return null;
  }

  private Task begin(Worker worker) {
    assertThat(worker).isNotNull();
    int before = tasks.size();
    hapax.work.start("order", "orders/a");
    Conditions.until(() -> tasks.size() == before + 1);
    return tasks.get(before);
  }

  /** Begins to stop, on a thread of its own. */
  private CompletableFuture<Boolean> stop(Worker worker, Duration atMost) {
    var stopped = OwnThread.supply(() -> worker.drain(atMost));
    Conditions.until(() -> stopped.isDone() || hapax.timing.hasTaskIn(atMost));
    return stopped;
  }

  private int heartbeats() {
    return hapax.work.requests(HeartbeatTasksRequest.class).size();
  }

  @Test
  void keepsTheLeasesOfAllItsTasksWithOneCallEveryThird() {
    Worker worker = worker().start();
    for (int i = 0; i < 5; i++) {
      begin(worker);
    }

    for (int i = 0; i < 30; i++) {
      hapax.timing.advance(THIRD);
    }

    assertThat(heartbeats()).isEqualTo(30);
    assertThat(hapax.work.requests(HeartbeatTasksRequest.class))
        .allSatisfy(beat -> assertThat(beat.getClaimsCount()).isEqualTo(5));
    assertThat(tasks).noneMatch(task -> task.claim().isLost());
    assertThat(told).hasValue(0);
  }

  @Test
  void tasksThatCameAtOtherTimesJoinTheCall() {
    Worker worker = worker().start();
    begin(worker);
    hapax.timing.advance(Duration.ofSeconds(4));
    begin(worker);

    hapax.timing.advance(Duration.ofSeconds(60));

    assertThat(heartbeats()).isLessThanOrEqualTo(8);
    assertThat(tasks).noneMatch(task -> task.claim().isLost());
  }

  @Test
  void stopsWhenTheTaskHasEnded() {
    // its next poll comes after the end of the task
    begin(worker().concurrency(1).start());
    go.countDown();
    Conditions.until(() -> hapax.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);
    Conditions.until(() -> hapax.work.polls().size() >= 2);

    hapax.timing.advance(Duration.ofMinutes(10));

    assertThat(heartbeats()).isZero();
    assertThat(told).hasValue(0);
  }

  @Test
  void aLongPollDoesNotEatTheLease() {
    Worker worker = worker().start();
    Conditions.until(hapax.work::isPolled);
    hapax.timing.advance(Duration.ofSeconds(19));

    Task task = begin(worker);

    assertThat(task.claim().isLost()).isFalse();
    hapax.timing.advance(Duration.ofSeconds(9));
    assertThat(heartbeats()).isZero();
    hapax.timing.advance(Duration.ofSeconds(1));
    assertThat(heartbeats()).isEqualTo(1);
  }

  @Test
  void aHandlerIsToldThatItsRunWasCancelledAndWhatItDidIsDropped() {
    Task task = begin(worker().start());
    hapax.work.cancel("run_1");

    hapax.timing.advance(THIRD);

    Conditions.until(() -> ended.get() == 1);
    assertThat(task.claim().isLost()).isTrue();
    assertThat(told).hasValue(1);
    assertThat(interrupted).hasValue(1);
    assertThatThrownBy(task.claim()::throwIfLost)
        .isInstanceOfSatisfying(
            HapaxException.ClaimLost.class,
            lost -> assertThat(lost.reason()).isEqualTo("RUN_CANCELLED"));
    Conditions.until(() -> hapax.work.polls().size() >= 2);
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).isEmpty();
  }

  @Test
  void aHandlerIsNotInterruptedIfThatIsNotWanted() {
    Task task = begin(worker().interruptWhenLost(false).start());
    hapax.work.cancel("run_1");

    hapax.timing.advance(THIRD);

    assertThat(task.claim().isLost()).isTrue();
    assertThat(told).hasValue(1);
    go.countDown();
    Conditions.until(() -> ended.get() == 1);
    assertThat(interrupted).hasValue(0);
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).isEmpty();
  }

  @Test
  void doesNotBelieveInTheLastTenthOfALeaseItCannotRenew() {
    Task task = begin(worker().interruptWhenLost(false).start());
    hapax.faults.down(true);

    hapax.timing.advance(Duration.ofMillis(26_999));
    assertThat(task.claim().isLost()).isFalse();
    hapax.timing.advance(Duration.ofMillis(1));

    assertThat(told).hasValue(1);
    assertThat(task.claim().isLost()).isTrue();
    hapax.faults.down(false);
    go.countDown();
    Conditions.until(() -> hapax.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void triesAgainSoonWhenAHeartbeatFails() {
    Task task = begin(worker().start());
    hapax.faults.down(true);
    hapax.timing.advance(Duration.ofSeconds(24));
    hapax.faults.down(false);

    hapax.timing.advance(Duration.ofSeconds(60));

    assertThat(task.claim().isLost()).isFalse();
  }

  @Test
  void knowsByTheClockThatItSleptTooLong() {
    Task task = begin(worker().start());

    hapax.timing.sleepThrough(Duration.ofMinutes(5));

    assertThat(task.claim().isLost()).isTrue();
    assertThatThrownBy(task.claim()::throwIfLost).isInstanceOf(HapaxException.ClaimLost.class);
  }

  @Test
  void twoHandlersOfOneStepNeverRunAtOnce() {
    Worker worker = worker().interruptWhenLost(false).start();
    Task first = begin(worker);

    hapax.work.takeAway("run_1");

    Conditions.until(() -> first.claim().isLost());
    assertThat(heartbeats()).as("told by the new claim, before any heartbeat").isZero();
    assertThat(tasks).as("the second waits for the first").hasSize(1);
    hapax.timing.advance(Duration.ofMinutes(2));
    go.countDown();
    Conditions.until(() -> hapax.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);
    List<CompleteTaskRequest> sent = hapax.work.requests(CompleteTaskRequest.class);
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).getClaim().getFence()).isGreaterThan(first.claim().fence());
    assertThat(tasks).as("what the first did is not done again").hasSize(1);
  }

  @Test
  void aHandlerThatFailedOverItsLossIsFollowedByAnother() {
    Worker worker = worker().start();
    Task first = begin(worker);

    hapax.work.takeAway("run_1");

    Conditions.until(() -> tasks.size() == 2);
    assertThat(interrupted).hasValue(1);
    assertThat(tasks.get(1).claim().fence()).isGreaterThan(first.claim().fence());
    assertThat(tasks.get(1).attempt()).isEqualTo(2);
    go.countDown();
    Conditions.until(() -> hapax.work.run("run_1").status == RunStatus.RUN_STATUS_COMPLETED);
  }

  @Test
  void letsGoOfAHandlerThatNeverEnds() {
    Task task = begin(worker().concurrency(1).holdAtMost(Duration.ofMinutes(1)).start());

    hapax.timing.advance(Duration.ofMinutes(3));

    assertThat(task.claim().isLost()).isTrue();
    // the step may be in another attempt by now, which has a lease of its own
    assertThat(hapax.work.requests(HeartbeatTasksRequest.class))
        .filteredOn(
            beat ->
                beat.getClaimsList().stream().anyMatch(c -> c.getFence() == task.claim().fence()))
        .hasSizeBetween(1, 6);
  }

  @Test
  void aStoppingWorkerKeepsTheLeaseUntilItsHandlersHaveEnded() throws Exception {
    Worker worker = worker().start();
    Task task = begin(worker);
    CompletableFuture<Boolean> stopped = stop(worker, Duration.ofHours(1));
    Conditions.until(
        () -> hapax.work.polls().stream().anyMatch(poll -> poll.getWait().getSeconds() == 0));
    hapax.work.start("order", "orders/b");

    hapax.timing.advance(Duration.ofMinutes(10));

    assertThat(heartbeats()).isEqualTo(60);
    assertThat(task.claim().isLost()).isFalse();
    assertThat(stopped).isNotDone();
    assertThat(tasks).as("no new task").hasSize(1);
    go.countDown();
    assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
    CompleteTaskRequest sent = hapax.work.requests(CompleteTaskRequest.class).get(0);
    assertThat(sent.getWantNext()).isFalse();
    worker.awaitStopped();
  }

  @Test
  void aStoppingWorkerGivesUpInTheEnd() throws Exception {
    Worker worker = worker().start();
    Task task = begin(worker);
    CompletableFuture<Boolean> stopped = stop(worker, Duration.ofMinutes(1));

    hapax.timing.advance(Duration.ofMinutes(1));

    assertThat(stopped.get(20, TimeUnit.SECONDS)).isFalse();
    assertThat(task.claim().isLost()).isTrue();
    Conditions.until(() -> interrupted.get() == 1);
    int before = heartbeats();
    hapax.timing.advance(Duration.ofMinutes(10));
    assertThat(heartbeats()).isEqualTo(before);
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
  }

  @Test
  void tasksThatCrossTheStopAreDone() throws Exception {
    Worker worker = worker().start();
    Conditions.until(hapax.work::isPolled);
    hapax.faults.silence("poll", 1);
    hapax.timing.advance(Duration.ofSeconds(20));
    Conditions.until(() -> hapax.work.polls().size() == 2 && hapax.work.isPolled());
    hapax.work.start("order", "orders/a");
    assertThat(tasks).as("its answer is on the way").isEmpty();

    CompletableFuture<Boolean> stopped = stop(worker, Duration.ofHours(1));
    Conditions.until(() -> tasks.size() == 1);
    go.countDown();

    assertThat(stopped.get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(hapax.work.run("run_1").status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(hapax.work.run("run_1").attempt).isEqualTo(1);
  }

  @Test
  void anIdleWorkerStopsAtOnce() throws Exception {
    Worker worker = worker().start();

    assertThat(stop(worker, Duration.ofHours(1)).get(20, TimeUnit.SECONDS)).isTrue();
    worker.close();
    hapax.work.start("order", "orders/a");
    hapax.timing.advance(Duration.ofMinutes(1));
    assertThat(tasks).isEmpty();
  }
}
