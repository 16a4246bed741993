package dev.hapax.client.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import dev.hapax.client.Conditions;
import dev.hapax.client.FailureClassifier;
import dev.hapax.client.FailureKind;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OperationsTest {

  private static final OperationRequest PLACE = OperationRequest.of("orders/Place", "key");

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Operations operations = hapax.client().operations();
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void close() {
    hapax.close();
  }

  private String work(RunningOperation operation) {
    runs.incrementAndGet();
    return "{\"order\": 1 }";
  }

  private Outcome<String> place(OperationRequest request) {
    return operations.execute(request, PayloadCodec.json(), this::work);
  }

  @Test
  @DisplayName(
      "given a completed operation, when it is repeated, then the result is replayed "
          + "byte for byte and the work ran once [I1]")
  void replaysTheResult() {
    assertThat(place(PLACE)).isEqualTo(new Outcome.Executed<>("{\"order\": 1 }", true));

    Outcome<String> second = place(PLACE);

    assertThat(second).isInstanceOf(Outcome.Replayed.class);
    assertThat(second.orThrow()).isEqualTo("{\"order\": 1 }");
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given 50 concurrent calls, when one runs the work, then the others get "
          + "IN_PROGRESS [I2]")
  void runsOnceAmongMany() throws Exception {
    CountDownLatch others = new CountDownLatch(49);
    var pool = Executors.newFixedThreadPool(50);
    List<Future<Outcome<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(
          pool.submit(
              () -> {
                Outcome<String> outcome =
                    operations.execute(
                        PLACE,
                        PayloadCodec.json(),
                        operation -> {
                          others.await(30, TimeUnit.SECONDS);
                          return work(operation);
                        });
                others.countDown();
                return outcome;
              }));
    }

    int executed = 0;
    int inProgress = 0;
    for (Future<Outcome<String>> call : calls) {
      executed += call.get() instanceof Outcome.Executed ? 1 : 0;
      inProgress += call.get() instanceof Outcome.InProgress ? 1 : 0;
    }

    assertThat(executed).isEqualTo(1);
    assertThat(inProgress).isEqualTo(49);
    assertThat(runs).hasValue(1);
    pool.shutdown();
  }

  @Test
  @DisplayName(
      "given a duplicate that waits, when the holder completes, then the duplicate "
          + "gets its result [I2]")
  void waitsForTheHolder() throws Exception {
    OperationRequest patient =
        PLACE.withPolicy(OperationPolicy.DEFAULT.withMaxWait(Duration.ofSeconds(20)));
    CompletableFuture<String> result = new CompletableFuture<>();
    var first = operations.executeAsync(PLACE, PayloadCodec.json(), operation -> result);
    var second =
        operations.executeAsync(
            patient, PayloadCodec.json(), operation -> CompletableFuture.completedFuture("mine"));
    assertThat(second).isNotDone();

    result.complete("1");

    assertThat(first.get(5, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
    assertThat(second.get(5, TimeUnit.SECONDS).orThrow()).isEqualTo("1");
  }

  @Test
  @DisplayName(
      "given work that throws, when it ends, then the exception is rethrown and the "
          + "key is free [I3]")
  void failureFreesTheKey() {
    assertThatThrownBy(
            () ->
                operations.execute(
                    PLACE,
                    PayloadCodec.json(),
                    operation -> {
                      throw new IOException("disk full");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("disk full");
    assertThat(hapax.store.state("key")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    assertThat(hapax.store.failure("key").getMessage()).isEqualTo("disk full");

    assertThat(place(PLACE)).isInstanceOf(Outcome.Executed.class);
  }

  @Test
  void workSaysThatItFailedForGood() {
    assertThatThrownBy(
            () ->
                operations.execute(
                    PLACE,
                    PayloadCodec.json(),
                    operation -> {
                      throw WorkFailure.forGood("CARD_DECLINED", "no money");
                    }))
        .isInstanceOf(WorkFailure.class);

    Outcome<String> second = place(PLACE);

    assertThat(second).isInstanceOf(Outcome.Rejected.class);
    assertThatThrownBy(second::orThrow)
        .isInstanceOfSatisfying(
            OperationException.Rejected.class,
            rejected -> assertThat(rejected.failure().getCode()).isEqualTo("CARD_DECLINED"));
    assertThat(runs).hasValue(0);
  }

  @Test
  void workSaysThatItsEffectIsUnknown() {
    assertThatThrownBy(
            () ->
                operations.execute(
                    PLACE,
                    PayloadCodec.json(),
                    operation -> {
                      operation.failAs(FailureKind.UNKNOWN_EFFECT);
                      throw new IllegalStateException("no answer from the bank");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(place(PLACE)).isInstanceOf(Outcome.Indeterminate.class);
    assertThat(runs).hasValue(0);
  }

  @Test
  void classifierDecidesWhatWorkDoesNotSay() {
    Operations strict = hapax.client().operations().withFailures(FailureClassifier.byStatus());
    assertThatThrownBy(
            () ->
                strict.execute(
                    PLACE,
                    PayloadCodec.json(),
                    operation -> {
                      throw io.grpc.Status.NOT_FOUND.withDescription("gone").asRuntimeException();
                    }))
        .isInstanceOf(io.grpc.StatusRuntimeException.class);

    assertThat(hapax.store.state("key")).isEqualTo(OperationState.OPERATION_STATE_REJECTED);
    assertThat(hapax.store.failure("key").getCode()).isEqualTo("NOT_FOUND");
  }

  @Test
  @DisplayName(
      "given a used key, when another account, operation or workspace uses it, then "
          + "the work runs [I4]")
  void scopesKeys() {
    place(PLACE);
    place(PLACE.withAccount("bob"));
    place(OperationRequest.of("orders/Cancel", "key"));
    hapax
        .client(options -> options.withWorkspace("other"))
        .operations()
        .execute(PLACE, PayloadCodec.json(), this::work);

    assertThat(runs).hasValue(4);
  }

  @Test
  @DisplayName(
      "given no request id, when work is executed, then it runs without a call to " + "Hapax [I6]")
  void runsAlwaysWithoutKey() {
    OperationRequest none = OperationRequest.of("orders/Place", "");

    assertThat(place(none)).isEqualTo(new Outcome.Executed<>("{\"order\": 1 }", false));
    place(none);

    assertThat(runs).hasValue(2);
    assertThat(hapax.faults.calls("begin") + hapax.faults.calls("complete")).isZero();
  }

  @Test
  @DisplayName("given a void result, when it is replayed, then it is void [I8]")
  void replaysVoid() {
    Work<@Nullable Void, RuntimeException> reset =
        operation -> {
          runs.incrementAndGet();
          return null;
        };
    operations.execute(PLACE, PayloadCodec.none(), reset);

    assertThat(operations.execute(PLACE, PayloadCodec.none(), reset))
        .isInstanceOfSatisfying(
            Outcome.Replayed.class, replayed -> assertThat(replayed.value()).isNull());
    assertThat(hapax.store.result("key")).isNull();
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a used key, when another request uses it, then the outcome is "
          + "KEY_REUSED and nothing runs [I10]")
  void refusesAnotherRequest() {
    place(PLACE.withFingerprint(Fingerprint.of(StringValue.of("one"))));

    assertThat(place(PLACE.withFingerprint(Fingerprint.of(StringValue.of("two")))))
        .isEqualTo(new Outcome.KeyReused<>());
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a lost response to Begin, when the attempt is retried, then the work "
          + "runs once [X1]")
  void survivesLostBegin() {
    hapax.faults.drop("begin", 2);

    assertThat(place(PLACE)).isInstanceOf(Outcome.Executed.class);

    assertThat(hapax.store.attemptIds()).hasSize(3);
    assertThat(new HashSet<>(hapax.store.attemptIds())).hasSize(1);
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a Begin without a response, when the try times out, then it is sent " + "again [X1]")
  void survivesSilence() {
    hapax.faults.silence("begin", 1);

    assertThat(place(PLACE)).isInstanceOf(Outcome.Executed.class);
    assertThat(new HashSet<>(hapax.store.attemptIds())).hasSize(1);
  }

  @Test
  @DisplayName(
      "given a lost response to Complete, when it is retried, then the result is "
          + "recorded once [X1]")
  void survivesLostComplete() {
    hapax.faults.drop("complete", 2);

    assertThat(place(PLACE)).isEqualTo(new Outcome.Executed<>("{\"order\": 1 }", true));

    assertThat(hapax.faults.calls("complete")).isEqualTo(3);
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a lost response to Fail, when it is retried, then the failure is " + "recorded [X1]")
  void survivesLostFail() {
    hapax.faults.drop("fail", 1);
    assertThatThrownBy(
            () ->
                operations.execute(
                    PLACE,
                    PayloadCodec.json(),
                    operation -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");

    assertThat(hapax.store.state("key")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
  }

  @Test
  void doesNothingWhenHapaxIsDown() {
    hapax.faults.down(true);
    OperationPolicy hasty = OperationPolicy.DEFAULT.withBeginTimeout(Duration.ofMillis(300));

    assertThatThrownBy(() -> place(PLACE.withPolicy(hasty)))
        .isInstanceOf(OperationException.Unavailable.class);
    assertThat(runs).hasValue(0);
  }

  @Test
  void runsUntrackedWhenHapaxIsDownAndThePolicySaysSo() {
    hapax.faults.down(true);
    OperationPolicy open =
        OperationPolicy.DEFAULT.withFailOpen(true).withBeginTimeout(Duration.ofMillis(300));

    assertThat(place(PLACE.withPolicy(open)))
        .isEqualTo(new Outcome.Executed<>("{\"order\": 1 }", false));
    assertThat(operations.failedOpen()).isEqualTo(1);
  }

  @Test
  void reportsThatItIsUnknownWhetherTheResultIsKept() {
    Operations hasty =
        hapax.client(options -> options.withRecordTimeout(Duration.ofMillis(300))).operations();

    Outcome<String> outcome =
        hasty.execute(
            PLACE,
            PayloadCodec.json(),
            operation -> {
              hapax.faults.down(true);
              return work(operation);
            });

    assertThat(outcome).isInstanceOf(Outcome.Unrecorded.class);
    assertThatThrownBy(outcome::orThrow).isInstanceOf(OperationException.Unrecorded.class);
  }

  @Test
  @DisplayName(
      "given a claim that was taken over, when the old owner completes, then it gets "
          + "the winner's result as overtaken [I9]")
  void getsTheWinnersResult() {
    Outcome<String> outcome =
        operations.execute(
            PLACE,
            PayloadCodec.json(),
            operation -> {
              hapax.store.takeOver("key", Payload.newBuilder().setJson("\"winner\"").build());
              return work(operation);
            });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            Outcome.Replayed.class,
            replayed -> {
              assertThat(replayed.value()).isEqualTo("\"winner\"");
              assertThat(replayed.overtaken()).isTrue();
            });
  }

  @Test
  void isToldThatItsClaimWasLostWhenTheWinnerStillWorks() {
    Outcome<String> outcome =
        operations.execute(
            PLACE,
            PayloadCodec.json(),
            operation -> {
              hapax.store.takeOver("key", null);
              return work(operation);
            });

    assertThat(outcome)
        .isEqualTo(new Outcome.ClaimLost<>(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST, null));
    assertThatThrownBy(outcome::orThrow).isInstanceOf(OperationException.ClaimLost.class);
  }

  @Test
  void getsTheWinnersResultAlsoWhenItFailedItself() {
    Outcome<String> outcome =
        operations.execute(
            PLACE,
            PayloadCodec.json(),
            operation -> {
              hapax.store.takeOver("key", Payload.newBuilder().setJson("\"winner\"").build());
              throw new IllegalStateException("interrupted on the way");
            });

    assertThat(outcome.orThrow()).isEqualTo("\"winner\"");
  }

  @Test
  void doesNotKeepWhatIsTooLargeAndDoesNotRepeatItEither() {
    byte[] large = new byte[256 * 1024 + 1];
    Work<byte[], RuntimeException> work =
        operation -> {
          runs.incrementAndGet();
          return large;
        };

    assertThat(operations.execute(PLACE, PayloadCodec.bytes(), work).orThrow()).isEqualTo(large);
    assertThat(hapax.faults.calls("complete")).as("not sent in vain").isEqualTo(1);
    assertThat(operations.execute(PLACE, PayloadCodec.bytes(), work))
        .isInstanceOf(Outcome.NotRetained.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  void keepsTheLargestResultThereMayBe() {
    byte[] large = new byte[256 * 1024];
    operations.execute(PLACE, PayloadCodec.bytes(), operation -> large);

    assertThat(operations.execute(PLACE, PayloadCodec.bytes(), operation -> new byte[0]).orThrow())
        .isEqualTo(large);
  }

  @Test
  void doesNotRepeatWhatHapaxRefusesToKeep() {
    assertThat(operations.execute(PLACE, PayloadCodec.json(), operation -> "bad json").orThrow())
        .isEqualTo("bad json");
    assertThat(place(PLACE)).isInstanceOf(Outcome.NotRetained.class);
  }

  @Test
  void saysSoWhenTheStoredResultIsOfAnotherKind() {
    place(PLACE);

    assertThatThrownBy(
            () -> operations.execute(PLACE, PayloadCodec.bytes(), operation -> new byte[1]))
        .isInstanceOf(OperationException.Unreadable.class);
  }

  @Test
  void storesMessages() {
    PayloadCodec<StringValue> codec = PayloadCodec.message(StringValue.parser());
    operations.execute(PLACE, codec, operation -> StringValue.of("one"));

    assertThat(operations.execute(PLACE, codec, operation -> StringValue.of("two")).orThrow())
        .isEqualTo(StringValue.of("one"));
    assertThat(Objects.requireNonNull(hapax.store.result("key")).getBinary())
        .isEqualTo(ByteString.copyFrom(StringValue.of("one").toByteArray()));
  }

  @Test
  void interruptedWhileItBeginsItGivesTheKeyBack() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    FakeHapax<SystemTiming> slow = hapax;
    Operations own =
        slow.client(options -> options.withTryTimeout(Duration.ofSeconds(30))).operations();
    place(OperationRequest.of("orders/Place", "warm"));
    Thread caller =
        new Thread(
            () -> {
              try {
                OperationPolicy patient =
                    OperationPolicy.DEFAULT.withMaxWait(Duration.ofSeconds(20));
                arrived.countDown();
                own.execute(PLACE.withPolicy(patient), PayloadCodec.json(), this::work);
              } catch (OperationException.Unavailable expected) {
                thrown.complete(
                    Thread.currentThread().isInterrupted()
                        ? expected
                        : new AssertionError("the interrupt was swallowed"));
              }
            });
    var holder =
        operations.executeAsync(
            PLACE,
            PayloadCodec.json(),
            operation -> {
              return CompletableFuture.supplyAsync(
                  () -> {
                    try {
                      release.await();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    throw new IllegalStateException(
                        "the holder fails, so the waiting duplicate is granted");
                  });
            });
    caller.start();
    arrived.await();
    Conditions.until(() -> hapax.store.attemptIds().size() == 3);

    caller.interrupt();
    assertThat(thrown.get(10, TimeUnit.SECONDS)).isInstanceOf(OperationException.Unavailable.class);
    release.countDown();

    assertThatThrownBy(holder::join)
        .hasRootCauseMessage("the holder fails, so the waiting duplicate is granted");
    Conditions.until(() -> hapax.faults.calls("fail") == 2);
    assertThat(hapax.store.state("key")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    assertThat(runs).hasValue(1);
  }
}
