package dev.hapax.client.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Conditions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.ManualTiming;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.RenewActionRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time stands still; actions run on threads of their own until {@link #go} lets them end. */
@Timeout(60)
class ClaimsLeaseTest {

  private static final EntityKey INVOICE = EntityKey.of("billing", "17");
  private static final ActionRequest CLOSE =
      ActionRequest.of(INVOICE, "close", "admin").withLease(Duration.ofSeconds(60));
  private static final Duration THIRD = Duration.ofSeconds(20);

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final ExecutorService pool = Executors.newCachedThreadPool();
  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicInteger told = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();
  private volatile @Nullable RunningAction running;

  @BeforeEach
  void approve() {
    hapax.entities.put("17", "approved");
  }

  @AfterEach
  void close() {
    go.countDown();
    pool.shutdown();
    hapax.close();
  }

  private ActionResult<String> untilLetGo(RunningAction action) throws InterruptedException {
    action.onLost(told::incrementAndGet);
    running = action;
    try {
      go.await();
    } catch (InterruptedException lost) {
      interrupted.incrementAndGet();
      throw lost;
    }
    return ActionResult.success("done");
  }

  private Future<ActionOutcome<String>> begin(Claims claims, ActionRequest request) {
    Future<ActionOutcome<String>> outcome =
        pool.submit(() -> claims.run(request, this::untilLetGo));
    Conditions.until(() -> running != null);
    return outcome;
  }

  private Future<ActionOutcome<String>> begin() {
    return begin(hapax.client().claims(), CLOSE);
  }

  private RunningAction running() {
    return Objects.requireNonNull(running);
  }

  private ActionOutcome<String> end(Future<ActionOutcome<String>> outcome) throws Exception {
    go.countDown();
    return outcome.get(20, TimeUnit.SECONDS);
  }

  private ActionOutcome<String> second() {
    return hapax.client().claims().run(CLOSE, action -> ActionResult.success("second"));
  }

  private int renewals() {
    return hapax.entities.requests(RenewActionRequest.class).size();
  }

  @Test
  @DisplayName(
      "given an action of ten leases, when it runs, then its claim is renewed every "
          + "third of a lease [C6]")
  void renews() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();

    for (int i = 0; i < 30; i++) {
      hapax.timing.advance(THIRD);
      assertThat(second()).isInstanceOf(ActionOutcome.ClaimFailed.class);
    }

    assertThat(renewals()).isEqualTo(30);
    assertThat(hapax.entities.requests(RenewActionRequest.class))
        .allSatisfy(renewal -> assertThat(renewal.getLease().getSeconds()).isEqualTo(60));
    assertThat(running().isLost()).isFalse();
    assertThat(running().leaseLeft()).isEqualTo(Duration.ofSeconds(54));
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.Ran.class);
    assertThat(told).hasValue(0);
  }

  @Test
  void aLeaseThatTheJanitorSaysIsRenewedAtItsThird() throws Exception {
    Future<ActionOutcome<String>> outcome =
        begin(hapax.client().claims(), ActionRequest.of(INVOICE, "close", "admin"));

    hapax.timing.advance(Duration.ofSeconds(99));
    assertThat(renewals()).isZero();
    hapax.timing.advance(Duration.ofSeconds(1));
    assertThat(renewals()).isEqualTo(1);

    assertThat(hapax.entities.requests(RenewActionRequest.class).get(0).hasLease()).isFalse();
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.Ran.class);
  }

  @Test
  void stopsRenewingWhenTheActionHasEnded() throws Exception {
    assertThat(end(begin())).isInstanceOf(ActionOutcome.Ran.class);

    hapax.timing.advance(Duration.ofMinutes(10));

    assertThat(renewals()).isZero();
    assertThat(told).hasValue(0);
    assertThat(running().isLost()).as("it has ended, and is not lost by that").isFalse();
  }

  @Test
  void leavesNoTimerBehind() throws Exception {
    int before = hapax.timing.pending();
    assertThat(end(begin())).isInstanceOf(ActionOutcome.Ran.class);
    for (int i = 0; i < 100; i++) {
      hapax.entities.put("n" + i, "approved");
      ActionRequest close =
          ActionRequest.of(EntityKey.of("billing", "n" + i), "close", "admin")
              .withLease(Duration.ofHours(24));
      assertThat(hapax.client().claims().run(close, action -> ActionResult.success("done")))
          .isInstanceOf(ActionOutcome.Ran.class);
    }

    assertThat(hapax.timing.pending()).isEqualTo(before);
  }

  @Test
  @DisplayName(
      "given a running action, when its claim is taken back, then its listener runs "
          + "once and its result is dropped [C7]")
  void isTold() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();
    hapax.entities.takeBack("17", ClaimLostReason.CLAIM_LOST_REASON_RELEASED);

    hapax.timing.advance(THIRD);
    hapax.timing.advance(THIRD);

    assertThat(told).hasValue(1);
    assertThat(running().isLost()).isTrue();
    assertThat(running().leaseLeft()).isZero();
    assertThatThrownBy(running()::throwIfLost)
        .isInstanceOfSatisfying(
            ActionException.ClaimLost.class,
            lost ->
                assertThat(lost.reason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_RELEASED));
    assertThat(renewals()).isEqualTo(1);
    assertThat(end(outcome))
        .isEqualTo(new ActionOutcome.ClaimLost<>(ClaimLostReason.CLAIM_LOST_REASON_RELEASED, null));
    assertThat(hapax.entities.requests(CompleteActionRequest.class)).isEmpty();
    assertThat(hapax.entities.status("17")).isEqualTo("approved");
  }

  @Test
  @DisplayName(
      "given a claim that was taken back, when the action ends, then the outcome is "
          + "CLAIM_LOST [C7]")
  void learnsAtTheEnd() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();
    hapax.entities.takeBack("17", ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);

    assertThat(end(outcome))
        .isEqualTo(
            new ActionOutcome.ClaimLost<>(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST, null));
    assertThat(hapax.entities.status("17")).isEqualTo("approved");
  }

  @Test
  void whatALostActionThrewIsInTheOutcome() throws Exception {
    hapax.entities.put("17", "approved");
    Future<ActionOutcome<String>> outcome =
        begin(hapax.client().claims().withInterruptWhenLost(true), CLOSE);
    hapax.entities.takeBack("17", ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);

    hapax.timing.advance(THIRD);

    assertThat(outcome.get(20, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            ActionOutcome.ClaimLost.class,
            lost -> assertThat(lost.failure()).isInstanceOf(InterruptedException.class));
    assertThat(interrupted).hasValue(1);
    assertThat(hapax.entities.requests(FailActionRequest.class)).isEmpty();
  }

  @Test
  void isNotInterruptedIfThatIsNotWanted() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();
    hapax.entities.takeBack("17", ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);

    hapax.timing.advance(THIRD);

    assertThat(told).hasValue(1);
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.ClaimLost.class);
    assertThat(interrupted).hasValue(0);
  }

  @Test
  void doesNotBelieveInTheLastTenthOfALeaseItCannotRenew() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();
    hapax.faults.down(true);

    hapax.timing.advance(Duration.ofMillis(53_999));
    assertThat(running().isLost()).isFalse();
    assertThat(running().leaseLeft()).isEqualTo(Duration.ofMillis(1));
    hapax.timing.advance(Duration.ofMillis(1));

    assertThat(told).hasValue(1);
    assertThat(running().isLost()).isTrue();
    hapax.faults.down(false);
    assertThat(end(outcome)).as("no other holder took over").isInstanceOf(ActionOutcome.Ran.class);
  }

  @Test
  void triesAgainSoonWhenARenewalFails() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();
    hapax.faults.down(true);
    hapax.timing.advance(Duration.ofSeconds(45));
    hapax.faults.down(false);

    hapax.timing.advance(Duration.ofSeconds(60));

    assertThat(running().isLost()).isFalse();
    assertThat(second()).isInstanceOf(ActionOutcome.ClaimFailed.class);
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.Ran.class);
  }

  @Test
  void knowsByTheClockThatItSleptTooLong() throws Exception {
    Future<ActionOutcome<String>> outcome = begin();

    hapax.timing.sleepThrough(Duration.ofMinutes(5));

    assertThat(running().isLost()).as("before any timer ran").isTrue();
    assertThat(second()).isInstanceOf(ActionOutcome.Ran.class);
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.ClaimLost.class);
  }

  @Test
  void aWaitDoesNotEatTheLease() throws Exception {
    // a holder that has crashed has it for 25 s
    hapax.entities.put("17", "approved");
    Claims first = hapax.client().claims().withHoldAtMost(Duration.ofMillis(1));
    CountDownLatch never = new CountDownLatch(1);
    var unused =
        pool.submit(
            () ->
                first.run(
                    CLOSE.withLease(Duration.ofSeconds(25)),
                    action -> {
                      never.await();
                      return ActionResult.success("late");
                    }));
    Conditions.until(() -> hapax.entities.status("17").equals("closing"));
    Future<ActionOutcome<String>> outcome =
        pool.submit(
            () ->
                hapax
                    .client()
                    .claims()
                    .run(CLOSE.withMaxWait(Duration.ofSeconds(25)), this::untilLetGo));
    Conditions.until(() -> hapax.entities.requests(BeginActionRequest.class).size() == 2);

    hapax.timing.advance(Duration.ofSeconds(25));
    Conditions.until(() -> running != null);

    assertThat(running().isLost()).isFalse();
    assertThat(running().leaseLeft()).isGreaterThan(Duration.ofSeconds(50));
    assertThat(renewals()).isZero();
    hapax.timing.advance(THIRD);
    assertThat(renewals()).isEqualTo(1);
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.Ran.class);
    never.countDown();
  }

  @Test
  void letsGoOfAnActionThatNeverEnds() throws Exception {
    Future<ActionOutcome<String>> outcome =
        begin(hapax.client().claims().withHoldAtMost(Duration.ofMinutes(2)), CLOSE);

    hapax.timing.advance(Duration.ofMinutes(10));

    assertThat(renewals()).isLessThanOrEqualTo(6);
    assertThat(running().isLost()).isTrue();
    assertThat(second()).as("it can be had").isInstanceOf(ActionOutcome.Ran.class);
    assertThat(end(outcome)).isInstanceOf(ActionOutcome.ClaimLost.class);
  }

  @Test
  void anOpenGrantIsLostWhenAnotherCallerWasFirst() throws Exception {
    Future<ActionOutcome<String>> outcome =
        begin(hapax.client().claims(), ActionRequest.of(INVOICE, "close", "system"));
    assertThat(second()).isInstanceOf(ActionOutcome.Ran.class);

    hapax.timing.advance(Duration.ofSeconds(100));

    assertThat(told).hasValue(1);
    assertThat(end(outcome))
        .isEqualTo(new ActionOutcome.ClaimLost<>(ClaimLostReason.CLAIM_LOST_REASON_VERSION, null));
  }
}
