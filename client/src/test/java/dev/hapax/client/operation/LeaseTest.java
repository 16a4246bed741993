package dev.hapax.client.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.FakeHapax;
import dev.hapax.client.ManualTiming;
import dev.hapax.client.PayloadCodec;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import io.grpc.Context;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaseTest {

  private static final OperationRequest PLACE = OperationRequest.of("orders/Place", "key");
  private static final Duration THIRD = Duration.ofSeconds(20);

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();
  private final Operations operations = hapax.client().operations();
  private final CompletableFuture<String> result = new CompletableFuture<>();
  private final AtomicInteger told = new AtomicInteger();
  private CompletableFuture<Outcome<String>> outcome = new CompletableFuture<>();
  private @Nullable RunningOperation handle;

  @AfterEach
  void close() {
    hapax.close();
  }

  /** Begins work that goes on until {@link #result} is completed. */
  private void begin(OperationPolicy policy) {
    outcome =
        operations.executeAsync(
            PLACE.withPolicy(policy),
            PayloadCodec.json(),
            operation -> {
              handle = operation;
              operation.onLost(told::incrementAndGet);
              return result;
            });
  }

  private RunningOperation handle() {
    return Objects.requireNonNull(handle);
  }

  private Outcome<String> duplicate() throws Exception {
    return operations
        .executeAsync(
            PLACE, PayloadCodec.json(), op -> CompletableFuture.completedFuture("\"again\""))
        .get(20, TimeUnit.SECONDS);
  }

  @Test
  @DisplayName(
      "given work of ten leases, when it runs, then its claim is renewed every third "
          + "of a lease [I2]")
  void renews() throws Exception {
    begin(OperationPolicy.DEFAULT);

    for (int i = 0; i < 30; i++) {
      hapax.timing.advance(THIRD);
      assertThat(duplicate()).isInstanceOf(Outcome.InProgress.class);
    }

    assertThat(hapax.faults.calls("renew")).isEqualTo(30);
    assertThat(handle().isLost()).isFalse();
    result.complete("1");
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new Outcome.Executed<>("1", true));
  }

  @Test
  void stopsRenewingWhenTheWorkHasEnded() throws Exception {
    begin(OperationPolicy.DEFAULT);
    result.complete("1");

    hapax.timing.advance(Duration.ofMinutes(10));

    assertThat(hapax.faults.calls("renew")).isZero();
    assertThat(told).hasValue(0);
    assertThat(handle().isLost()).isFalse();
  }

  @Test
  void tellsTheWorkOnceWhenAnotherTookOver() throws Exception {
    begin(OperationPolicy.DEFAULT);
    hapax.store.takeOver("key", null);

    hapax.timing.advance(THIRD);
    hapax.timing.advance(THIRD);

    assertThat(told).hasValue(1);
    assertThat(handle().isLost()).isTrue();
    assertThatThrownBy(handle()::throwIfLost).isInstanceOf(OperationException.ClaimLost.class);
    assertThat(hapax.faults.calls("renew")).isEqualTo(1);
    handle().onLost(told::incrementAndGet);
    assertThat(told).hasValue(2);
  }

  @Test
  void doesNotBelieveInTheLastTenthOfALeaseItCannotRenew() throws Exception {
    begin(OperationPolicy.DEFAULT);
    hapax.faults.down(true);

    hapax.timing.advance(Duration.ofMillis(53_999));
    assertThat(handle().isLost()).isFalse();
    assertThat(told).hasValue(0);
    hapax.timing.advance(Duration.ofMillis(1));

    assertThat(told).hasValue(1);
    assertThat(handle().isLost()).isTrue();
  }

  @Test
  void triesAgainSoonWhenARenewalFails() throws Exception {
    begin(OperationPolicy.DEFAULT);
    hapax.faults.down(true);
    hapax.timing.advance(Duration.ofSeconds(45));
    hapax.faults.down(false);
    hapax.timing.advance(Duration.ofSeconds(60));

    assertThat(handle().isLost()).isFalse();
    assertThat(duplicate()).isInstanceOf(Outcome.InProgress.class);
  }

  @Test
  @DisplayName(
      "given an expired lease without a successor, when the work ends, then it has "
          + "been notified and its result is recorded [I9]")
  void completesLate() throws Exception {
    begin(OperationPolicy.DEFAULT);
    hapax.timing.sleepThrough(Duration.ofMinutes(5));

    assertThat(handle().isLost()).as("by the clock, before any timer ran").isTrue();
    result.complete("1");

    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new Outcome.Executed<>("1", true));
  }

  @Test
  @DisplayName(
      "given an expired lease, when callers compete, then exactly one takes over and "
          + "is reclaimed [I9]")
  void isReclaimed() throws Exception {
    begin(OperationPolicy.DEFAULT);
    var first = outcome;
    long fence = handle().fence();
    hapax.timing.sleepThrough(Duration.ofMinutes(5));
    CompletableFuture<String> second = new CompletableFuture<>();
    var winner =
        operations.executeAsync(
            PLACE,
            PayloadCodec.json(),
            operation -> {
              assertThat(operation.reclaimed()).isTrue();
              assertThat(operation.attempt()).isEqualTo(2);
              assertThat(operation.fence()).isGreaterThan(fence);
              return second;
            });

    result.complete("\"old\"");
    assertThat(first.get(20, TimeUnit.SECONDS))
        .isEqualTo(new Outcome.ClaimLost<>(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST, null));
    second.complete("\"new\"");

    assertThat(winner.get(20, TimeUnit.SECONDS)).isEqualTo(new Outcome.Executed<>("\"new\"", true));
    assertThat(duplicate().orThrow()).isEqualTo("\"new\"");
  }

  @Test
  void holdsAKeyOfWorkThatMustNotRunTwice() throws Exception {
    begin(OperationPolicy.DEFAULT.withOnStale(OnStale.HOLD));
    hapax.timing.sleepThrough(Duration.ofMinutes(5));

    assertThat(duplicate()).isInstanceOf(Outcome.Indeterminate.class);
  }

  @Test
  void letsGoOfWorkThatNeverEnds() throws Exception {
    begin(OperationPolicy.DEFAULT.withHoldAtMost(Duration.ofMinutes(2)));

    hapax.timing.advance(Duration.ofMinutes(4));

    assertThat(told).hasValue(1);
    assertThat(hapax.faults.calls("renew")).isEqualTo(5);
    assertThat(duplicate()).isInstanceOf(Outcome.Executed.class);
  }

  @Test
  void asksAgainWhenAWaitHasUsedUpTheLease() throws Exception {
    OperationPolicy patient =
        OperationPolicy.DEFAULT
            .withLease(Duration.ofSeconds(10))
            .withMaxWait(Duration.ofSeconds(30));
    var holder =
        operations.executeAsync(PLACE, PayloadCodec.json(), operation -> new CompletableFuture<>());
    assertThat(holder).isNotDone();
    begin(patient);
    hapax.timing.sleepThrough(Duration.ofSeconds(25));

    hapax.store.release("key");

    assertThat(handle().isLost()).isFalse();
    assertThat(hapax.store.attemptIds()).hasSize(3);
    assertThat(hapax.store.attemptIds().get(2)).isEqualTo(hapax.store.attemptIds().get(1));
    result.complete("1");
    assertThat(duplicate().orThrow()).isEqualTo("1");
  }

  @Test
  void givesBackWhatIsGrantedAfterTheCallerStoppedWaiting() throws Exception {
    hapax.faults.before("begin", () -> hapax.timing.advance(Duration.ofSeconds(11)));

    begin(OperationPolicy.DEFAULT);

    assertThatThrownBy(() -> outcome.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(OperationException.Unavailable.class);
    assertThat(handle).isNull();
    assertThat(hapax.store.state("key")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
  }

  @Test
  void aCancelledContextStopsNeitherRenewalsNorTheRecord() throws Exception {
    Context.CancellableContext caller = Context.current().withCancellation();
    caller.run(() -> begin(OperationPolicy.DEFAULT));
    caller.cancel(new CancellationException("the caller is gone"));

    hapax.timing.advance(Duration.ofMinutes(5));
    caller.run(() -> result.complete("1"));

    assertThat(hapax.faults.calls("renew")).isEqualTo(15);
    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new Outcome.Executed<>("1", true));
  }

  @Test
  void interruptsTheWorkingThreadIfAskedTo() throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread worker =
        new Thread(
            () -> {
              try {
                outcome.complete(
                    operations.execute(
                        PLACE.withPolicy(OperationPolicy.DEFAULT.withInterruptWhenLost(true)),
                        PayloadCodec.json(),
                        operation -> {
                          working.countDown();
                          try {
                            new CountDownLatch(1).await();
                          } catch (InterruptedException interrupted) {
                            Thread.currentThread().interrupt();
                            throw interrupted;
                          }
                          return "never";
                        }));
              } catch (InterruptedException interrupted) {
                outcome.completeExceptionally(interrupted);
              }
              flag.complete(Thread.currentThread().isInterrupted());
            });
    worker.start();
    working.await();
    hapax.store.takeOver("key", Payload.newBuilder().setJson("\"winner\"").build());

    hapax.timing.advance(THIRD);

    assertThat(outcome.get(20, TimeUnit.SECONDS).orThrow()).isEqualTo("\"winner\"");
    assertThat(flag.get(20, TimeUnit.SECONDS)).as("the interrupt was for the work only").isFalse();
  }
}
