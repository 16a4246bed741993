package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.HolderScene.Verb;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.Payload;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Work under a claim: the same rules for operations and actions. */
@Timeout(60)
@ParameterizedClass(name = "{0}")
@EnumSource
class HolderTest {

  @Parameter Verb verb = Verb.OPERATION;

  private @Nullable HolderScene opened;
  private final AtomicInteger told = new AtomicInteger();
  private @Nullable Claim claim;

  private HolderScene scene() {
    HolderScene scene = opened;
    if (scene == null) {
      scene = new HolderScene(verb);
      opened = scene;
    }
    return scene;
  }

  @AfterEach
  void close() {
    var unused = Thread.interrupted();
    if (opened != null) {
      opened.close();
    }
  }

  private void advance(Duration by) {
    scene().hapax.timing.advance(by);
  }

  private Claim held() {
    return Objects.requireNonNull(claim);
  }

  private String note(Claim granted) {
    claim = granted;
    granted.onLost(told::incrementAndGet);
    return "\"done\"";
  }

  private void assertDone(Object outcome) {
    assertThat(outcome).isInstanceOfAny(OnceOutcome.Done.class, ActOutcome.Done.class);
    assertThat(HolderScene.orThrow(outcome)).isEqualTo("\"done\"");
    assertThat(scene().isCompleted()).isTrue();
  }

  private static void assertLost(Object outcome, @Nullable Throwable failure) {
    assertThat(outcome).isEqualTo(new OnceOutcome.ClaimLost<>("LEASE_LOST", failure));
    assertThatThrownBy(() -> HolderScene.orThrow(outcome))
        .isInstanceOf(HapaxException.ClaimLost.class);
  }

  @Test
  @DisplayName(
      "given work of ten leases, then its claim is renewed every third of a lease [I2, C6]")
  void renewed() {
    int timers = scene().hapax.timing.pending();
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  for (int i = 1; i <= 30; i++) {
                    advance(HolderScene.THIRD.minusNanos(1));
                    assertThat(scene().renewals()).isEqualTo(i - 1);
                    advance(Duration.ofNanos(1));
                    assertThat(scene().renewals()).isEqualTo(i);
                  }
                  assertThat(granted.leaseLeft()).isEqualTo(Duration.ofSeconds(54));
                  return note(granted);
                });

    assertDone(outcome);
    assertThat(scene().hapax.timing.pending()).as("no timer is left").isEqualTo(timers);
    advance(Duration.ofMinutes(10));
    assertThat(scene().renewals()).isEqualTo(30);
    assertThat(told).hasValue(0);
    assertThat(held().isLost()).as("it has ended, and is not lost by that").isFalse();
  }

  @Test
  @DisplayName("given a renewal without an answer, then it is repeated soon")
  void renewedAfterAnOutage() {
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  scene().hapax.faults.down(true);
                  advance(Duration.ofSeconds(45));
                  scene().hapax.faults.down(false);
                  advance(Duration.ofSeconds(60));
                  assertThat(granted.isLost()).isFalse();
                  return note(granted);
                });

    assertDone(outcome);
  }

  @Test
  @DisplayName(
      "given a lease that cannot be renewed, then the claim is lost a tenth before its end")
  void notRenewed() {
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  String value = note(granted);
                  scene().hapax.faults.down(true);
                  advance(Duration.ofMillis(53_999));
                  assertThat(granted.leaseLeft()).isEqualTo(Duration.ofMillis(1));
                  assertThat(told).hasValue(0);
                  advance(Duration.ofMillis(1));
                  assertThat(told).hasValue(1);
                  assertThat(granted.isLost()).isTrue();
                  scene().hapax.faults.down(false);
                  return value;
                });

    assertDone(outcome);
    assertThat(scene().lost).containsExactly(verb.name());
  }

  @Test
  @DisplayName(
      "given a process that was suspended, then the claim is lost by the clock, and the result"
          + " counts without a successor [I9]")
  void suspended() {
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  scene().hapax.timing.sleepThrough(Duration.ofMinutes(5));
                  assertThat(granted.leaseLeft()).isZero();
                  assertThat(granted.isLost()).as("before any timer ran").isTrue();
                  assertThatThrownBy(granted::throwIfLost)
                      .isInstanceOf(HapaxException.ClaimLost.class)
                      .hasMessage("the claim is lost: LEASE_LOST");
                  return note(granted);
                });

    assertDone(outcome);
    assertThat(told).as("a listener that came too late").hasValue(1);
  }

  @Test
  @DisplayName("given work that never ends, then it is renewed until holdAtMost")
  void heldTooLong() {
    Object outcome =
        scene()
            .attempt(
                Codec.jsonText(),
                Duration.ofMinutes(2),
                granted -> {
                  advance(Duration.ofMinutes(4));
                  assertThat(granted.isLost()).isTrue();
                  scene().takeOver();
                  return note(granted);
                });

    assertThat(scene().renewals()).isEqualTo(5);
    assertLost(outcome, null);
  }

  @Test
  @DisplayName(
      "given a claim that another holder took, when a renewal finds out, then listeners run once,"
          + " and the result of an action is not sent [C7]")
  void revoked() {
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  String value = note(granted);
                  scene().takeOver();
                  advance(HolderScene.THIRD);
                  advance(HolderScene.THIRD);
                  assertThat(told).hasValue(1);
                  granted.onLost(told::incrementAndGet);
                  assertThat(told).as("at once").hasValue(2);
                  return value;
                });

    assertLost(outcome, null);
    assertThat(scene().renewals()).isEqualTo(1);
    assertThat(scene().completions()).isEqualTo(verb == Verb.ACTION ? 0 : 1);
    assertThat(scene().lost).containsExactly(verb.name());
  }

  @Test
  @DisplayName("given a revoked claim, when its work throws, then the outcome has the exception")
  void revokedAndThrown() throws IOException {
    IOException full = new IOException("disk full");
    Object outcome =
        scene()
            .<IOException>attempt(
                granted -> {
                  scene().takeOver();
                  advance(HolderScene.THIRD);
                  throw full;
                });

    assertLost(outcome, full);
    assertThat(scene().failures()).isEqualTo(verb == Verb.ACTION ? 0 : 1);
  }

  @Test
  @DisplayName("given a claim that another holder took, when the work ends, then it is lost [I9]")
  void lostAtTheEnd() throws IOException {
    assertLost(
        scene()
            .attempt(
                granted -> {
                  scene().takeOver();
                  return note(granted);
                }),
        null);
    assertThat(told).as("the work has ended").hasValue(0);
  }

  @Test
  @DisplayName("given work that throws without a loss, then the exception is the caller's [I3, C2]")
  void thrown() {
    IOException full = new IOException("disk full");

    assertThatThrownBy(
            () ->
                scene()
                    .<IOException>attempt(
                        granted -> {
                          throw full;
                        }))
        .isSameAs(full);

    assertThat(scene().isFree()).isTrue();
    assertDone(scene().attempt(this::note));
  }

  @Test
  @DisplayName(
      "given a lost response to the end of work, then it is repeated, and counts once [X1]")
  void answersAreLost() {
    scene().hapax.faults.drop(verb.fail, 2);
    assertThatThrownBy(
            () ->
                scene()
                    .attempt(
                        granted -> {
                          throw new IllegalStateException("no");
                        }))
        .hasMessage("no");
    assertThat(scene().failures()).isEqualTo(3);
    assertThat(scene().isFree()).isTrue();

    scene().hapax.faults.drop(verb.begin, 2);
    scene().hapax.faults.drop(verb.complete, 2);
    assertDone(scene().attempt(this::note));
    assertThat(scene().completions()).isEqualTo(3);
  }

  @Test
  @DisplayName("given ABORTED, then it is the caller's, and the call is not repeated")
  void aborted() {
    scene().refuse(verb.begin, Status.ABORTED);

    assertThatThrownBy(() -> scene().attempt(this::note))
        .isInstanceOf(HapaxException.Refused.class)
        .hasMessageContaining("ABORTED");

    assertThat(scene().hapax.faults.calls(verb.begin)).isEqualTo(1);
    assertThat(claim).isNull();
  }

  @Test
  @DisplayName("given a result above 256 KiB, then the caller gets it, and it is not kept")
  void tooLarge() {
    byte[] large = new byte[256 * 1024 + 1];

    try (LogRecorder log = LogRecorder.of(Holder.class)) {
      assertThat(HolderScene.orThrow(scene().attempt(Codec.bytes(), granted -> large)))
          .isSameAs(large);
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("has 262145 bytes and may have 262144");
    }
    assertThat(scene().completions()).as("not sent in vain").isEqualTo(1);
    assertThat(scene().isCompleted() && scene().isUnkept()).isTrue();
  }

  @Test
  @DisplayName("given a codec that throws, then the caller gets the result, and it is not kept")
  void unwritable() {
    Codec<String> broken =
        Codec.of(
            value -> {
              throw new IllegalStateException("no JSON");
            },
            stored -> "");

    assertThat(HolderScene.orThrow(scene().attempt(broken, granted -> "value"))).isEqualTo("value");
    assertThat(scene().isCompleted() && scene().isUnkept()).isTrue();
  }

  @Test
  @DisplayName("given a result that Hapax refuses, then the work counts, and it is not kept")
  void refusedResult() {
    scene().refuse(verb.complete, Status.INVALID_ARGUMENT);

    assertDone(scene().attempt(this::note));
    assertThat(scene().completions()).isEqualTo(2);
    assertThat(scene().isUnkept()).isTrue();
  }

  @Test
  @DisplayName("given a failure whose text Hapax refuses, then it is recorded without its text")
  void refusedText() {
    scene().refuse(verb.fail, Status.INVALID_ARGUMENT);

    assertThatThrownBy(
            () ->
                scene()
                    .attempt(
                        granted -> {
                          throw new IllegalStateException("odd");
                        }))
        .hasMessage("odd");

    assertThat(scene().isFree()).isTrue();
    if (verb == Verb.ACTION) {
      assertThat(scene().hapax.entities.requests(FailActionRequest.class))
          .extracting(FailActionRequest::getMessage)
          .containsExactly("java.lang.IllegalStateException: odd", "FAILED");
    } else {
      assertThat(scene().hapax.store.failure("key").getCode()).isEqualTo("FAILED");
    }
  }

  @Test
  @DisplayName("given an outage until the lease has expired, then the result is unrecorded")
  void unrecorded() {
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  scene().hapax.faults.down(true);
                  return note(granted);
                });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            OnceOutcome.Unrecorded.class,
            unsure -> {
              assertThat(unsure.value()).isEqualTo("\"done\"");
              assertThat(unsure.cause()).isInstanceOf(HapaxException.Unavailable.class);
            });
    assertThatThrownBy(() -> HolderScene.orThrow(outcome))
        .isInstanceOf(HapaxException.Unrecorded.class)
        .hasMessageContaining("may not be recorded");
    assertThat(scene().completions()).as("it was repeated").isGreaterThan(20);
  }

  @Test
  @DisplayName("given an outage after an exception, then the exception is the caller's")
  void unrecordedFailure() {
    IOException full = new IOException("disk full");

    assertThatThrownBy(
            () ->
                scene()
                    .<IOException>attempt(
                        granted -> {
                          scene().hapax.faults.down(true);
                          throw full;
                        }))
        .isSameAs(full);
    assertThat(scene().isFree()).as("it is left to its lease").isFalse();
  }

  @Test
  @DisplayName("given a key that is replaced while work ends, then its end is recorded [A4]")
  void newKey() {
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  scene().hapax.access.accept(FakeAccess.SECOND_KEY);
                  scene()
                      .hapax
                      .timing
                      .after(Duration.ofSeconds(10), () -> scene().hapax.access.accept(""));
                  return note(granted);
                });

    assertDone(outcome);
    assertThat(scene().hapax.access.rejected()).isPositive();
  }

  @Test
  @DisplayName("given an interrupt in work, then it is a failure that may be retried [J10]")
  void interruptedWork() {
    assertThatThrownBy(
            () ->
                scene()
                    .<InterruptedException>attempt(
                        granted -> {
                          Thread.currentThread().interrupt();
                          throw new InterruptedException("stopped");
                        }))
        .isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
    assertThat(scene().isFree()).isTrue();
    if (verb == Verb.ACTION) {
      assertThat(scene().hapax.entities.requests(FailActionRequest.class).get(0).getKind())
          .isEqualTo(ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION);
    }
  }

  @Test
  @DisplayName("given an interrupt at the end of work, then its end is still recorded [J10]")
  void interruptedRecord() {
    scene().hapax.faults.drop(verb.complete, 2);

    Object outcome =
        scene()
            .attempt(
                granted -> {
                  Thread.currentThread().interrupt();
                  return note(granted);
                });

    assertDone(outcome);
    assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
  }

  @Test
  @DisplayName("given an interrupt while the work waits to begin, then it does not begin [J10]")
  void interruptedBegin() {
    scene().hapax.faults.silence(verb.begin, 1);
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> scene().attempt(this::note))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasCauseInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
    assertThat(claim).isNull();
  }

  @Test
  @DisplayName("given a successor that has ended, then its result is the outcome [I9]")
  void replayed() {
    if (verb == Verb.ACTION) {
      return; // only operations have a replay
    }
    Payload winner = Payload.newBuilder().setJson("\"winner\"").build();
    Object outcome =
        scene()
            .attempt(
                granted -> {
                  scene().hapax.store.takeOver("key", winner);
                  throw new IllegalStateException("on the way");
                });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            OnceOutcome.Replayed.class,
            replayed -> {
              assertThat(replayed.value()).isEqualTo("\"winner\"");
              assertThat(replayed.isOvertaken()).isTrue();
            });
    assertThat(scene().attempt(this::note)).isInstanceOf(OnceOutcome.Replayed.class);
  }
}
