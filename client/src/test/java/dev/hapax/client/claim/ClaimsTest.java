package dev.hapax.client.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.Conditions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.RenewActionRequest;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClaimsTest {

  private static final EntityKey INVOICE = EntityKey.of("billing", "17");
  private static final ActionRequest CLOSE = ActionRequest.of(INVOICE, "close", "admin");

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Claims claims = hapax.client().claims();
  private final AtomicInteger runs = new AtomicInteger();
  private final ExecutorService pool = Executors.newCachedThreadPool();

  @BeforeEach
  void approve() {
    hapax.entities.put("17", "approved");
  }

  @AfterEach
  void shutDown() {
    pool.shutdownNow();
    hapax.close();
  }

  private ActionResult<String> close(RunningAction action) {
    return ActionResult.success("closed " + runs.incrementAndGet() + " by " + action.name());
  }

  private ActionOutcome<String> close() {
    return claims.run(CLOSE, this::close);
  }

  /** An action that holds the entity until it is let go. */
  private Future<ActionOutcome<String>> hold(CountDownLatch go) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    Future<ActionOutcome<String>> holder =
        pool.submit(
            () ->
                claims
                    .as("ann")
                    .run(
                        CLOSE,
                        action -> {
                          begun.countDown();
                          go.await();
                          return ActionResult.failure("she changed her mind");
                        }));
    begun.await();
    return holder;
  }

  @Test
  @DisplayName("given a span of the caller, then a completion sends it, also when it is repeated")
  void trace() {
    SpanContext span =
        SpanContext.create(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.getDefault());
    hapax.faults.drop("completeAction", 2);
    Runnable closes = () -> assertThat(close()).isInstanceOf(ActionOutcome.Ran.class);
    Context.root().with(Span.wrap(span)).wrap(closes).run();
    assertThat(hapax.access.spanOf("CompleteAction"))
        .isEqualTo("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  }

  @Test
  @DisplayName(
      "given an action, when it succeeds, then the entity makes its transition and "
          + "the caller gets the value [C2]")
  void success() {
    ActionOutcome<String> outcome =
        claims.run(
            INVOICE,
            "close",
            "admin",
            action -> {
              assertThat(action.entity().getStatus()).isEqualTo("closing");
              assertThat(action.isExclusive()).isTrue();
              assertThat(action.fence()).isEqualTo(101);
              assertThat(action.isLost()).isFalse();
              action.throwIfLost();
              return close(action);
            });

    assertThat(outcome.orThrow()).isEqualTo("closed 1 by CloseBillingActionUseCase");
    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Ran.class,
            ran -> assertThat(ran.entity().getStatus()).isEqualTo("closed"));
    assertThat(hapax.entities.status("17")).isEqualTo("closed");
  }

  @Test
  @DisplayName(
      "given an action result with a codec, when it is recorded, then the value is the "
          + "output of the event")
  void output() {
    ActionOutcome<String> outcome =
        claims.run(CLOSE, action -> ActionResult.success("{\"receipt\": 7}", PayloadCodec.json()));

    assertThat(outcome.orThrow()).isEqualTo("{\"receipt\": 7}");
    assertThat(hapax.entities.requests(CompleteActionRequest.class))
        .singleElement()
        .satisfies(
            request -> assertThat(request.getOutput().getJson()).isEqualTo("{\"receipt\": 7}"));

    hapax.entities.put("17", "approved");
    assertThat(close()).isInstanceOf(ActionOutcome.Ran.class);
    assertThat(hapax.entities.requests(CompleteActionRequest.class).get(1).hasOutput()).isFalse();
  }

  @Test
  @DisplayName(
      "given 50 concurrent calls, when one is granted, then the others get the "
          + "holder and since when [C1]")
  void oneAmongMany() throws Exception {
    CountDownLatch others = new CountDownLatch(49);
    List<Future<ActionOutcome<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Claims caller = claims.as("caller-" + i);
      calls.add(
          pool.submit(
              () -> {
                ActionOutcome<String> outcome =
                    caller.run(
                        CLOSE,
                        action -> {
                          others.await(30, TimeUnit.SECONDS);
                          return close(action);
                        });
                others.countDown();
                return outcome;
              }));
    }

    int ran = 0;
    List<ActionOutcome.ClaimFailed<String>> failed = new ArrayList<>();
    for (Future<ActionOutcome<String>> call : calls) {
      if (call.get() instanceof ActionOutcome.ClaimFailed<String> other) {
        failed.add(other);
      } else {
        assertThat(call.get()).isInstanceOf(ActionOutcome.Ran.class);
        ran++;
      }
    }

    assertThat(ran).isEqualTo(1);
    assertThat(runs).hasValue(1);
    assertThat(failed)
        .hasSize(49)
        .allSatisfy(
            other -> {
              assertThat(other.holder()).startsWith("caller-");
              assertThat(other.since()).isEqualTo(Instant.ofEpochSecond(1_000));
              assertThat(other.leaseRemaining()).isPositive();
              assertThat(other.message()).startsWith("another operation is already in progress");
            });
    assertThatThrownBy(failed.get(0)::orThrow)
        .isInstanceOfSatisfying(
            ActionException.ClaimFailed.class,
            thrown -> assertThat(thrown.holder()).isEqualTo(failed.get(0).holder()));
  }

  @Test
  void whoWaitsIsGrantedWhenTheHolderHasEnded() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Future<ActionOutcome<String>> holder = hold(go);
    Future<ActionOutcome<String>> second =
        pool.submit(() -> claims.run(CLOSE.withMaxWait(Duration.ofSeconds(20)), this::close));
    Conditions.until(() -> hapax.entities.requests(BeginActionRequest.class).size() == 2);
    assertThat(second.isDone()).isFalse();

    go.countDown();

    assertThat(holder.get()).isInstanceOf(ActionOutcome.Failed.class);
    assertThat(second.get()).isInstanceOf(ActionOutcome.Ran.class);
  }

  @Test
  @DisplayName(
      "given an action, when it reports a failure, then the entity returns to its "
          + "former status [C2]")
  void failure() {
    ActionOutcome<String> outcome =
        claims.run(CLOSE, action -> ActionResult.failure("the printer is\u0000 out"));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Failed.class,
            failed -> {
              assertThat(failed.message()).isEqualTo("the printer is\u0000 out");
              assertThat(failed.entity().getStatus()).isEqualTo("approved");
            });
    assertThatThrownBy(outcome::orThrow).isInstanceOf(ActionException.Failed.class);
    FailActionRequest sent = hapax.entities.requests(FailActionRequest.class).get(0);
    assertThat(sent.getKind()).isEqualTo(ActionFailureKind.ACTION_FAILURE_KIND_FAILURE);
    assertThat(sent.getMessage()).as("what Hapax keeps").isEqualTo("the printer is  out");
    assertThat(close()).as("the next one").isInstanceOf(ActionOutcome.Ran.class);
  }

  @Test
  @DisplayName(
      "given an action, when it reports invalid input, then the entity returns to "
          + "its former status [C2]")
  void invalid() {
    ActionOutcome<String> outcome = claims.run(CLOSE, action -> ActionResult.invalid("no lines"));

    assertThat(outcome).isInstanceOf(ActionOutcome.Invalid.class);
    assertThatThrownBy(outcome::orThrow)
        .isInstanceOf(ActionException.Invalid.class)
        .hasMessage("no lines");
    assertThat(hapax.entities.requests(FailActionRequest.class).get(0).getKind())
        .isEqualTo(ActionFailureKind.ACTION_FAILURE_KIND_INVALID);
    assertThat(hapax.entities.status("17")).isEqualTo("approved");
  }

  @Test
  @DisplayName(
      "given an action, when it throws, then the entity returns to its former status "
          + "and the caller gets the exception [C2]")
  void exception() {
    IOException full = new IOException("disk full");

    assertThatThrownBy(
            () ->
                claims.run(
                    CLOSE,
                    action -> {
                      throw full;
                    }))
        .isSameAs(full);

    FailActionRequest sent = hapax.entities.requests(FailActionRequest.class).get(0);
    assertThat(sent.getKind()).isEqualTo(ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION);
    assertThat(sent.getMessage()).isEqualTo("java.io.IOException: disk full");
    assertThat(hapax.entities.status("17")).isEqualTo("approved");
  }

  @Test
  void anActionThatReturnsNothingHasFailed() {
    assertThatThrownBy(() -> claims.run(CLOSE, ClaimsTest::nothing))
        .isInstanceOf(NullPointerException.class);

    assertThat(hapax.entities.status("17")).isEqualTo("approved");
  }

  @SuppressWarnings("NullAway")
  private static ActionResult<String> nothing(RunningAction action) {
    return null;
  }

  @Test
  @DisplayName(
      "given a step without a claim state, when two requesters act, then the version "
          + "decides [C3]")
  void requesterWithoutAClaim() {
    ActionOutcome<String> slow =
        claims.run(
            INVOICE,
            "close",
            "system",
            action -> {
              assertThat(action.isExclusive()).isFalse();
              assertThat(claims.run(INVOICE, "close", "system", this::close))
                  .isInstanceOf(ActionOutcome.Ran.class);
              return close(action);
            });

    assertThat(slow)
        .isEqualTo(new ActionOutcome.ClaimLost<>(ClaimLostReason.CLAIM_LOST_REASON_VERSION, null));
    assertThatThrownBy(slow::orThrow)
        .isInstanceOfSatisfying(
            ActionException.ClaimLost.class,
            lost -> assertThat(lost.reason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_VERSION));
  }

  @Test
  @DisplayName(
      "given a step of another requester, when it is requested, then the outcome is "
          + "NOT_ALLOWED and nothing runs [C3]")
  void notAllowed() {
    ActionOutcome<String> outcome = claims.run(INVOICE, "close", "guest", this::close);

    assertThat(outcome).isEqualTo(new ActionOutcome.NotAllowed<>());
    assertThatThrownBy(outcome::orThrow).isInstanceOf(ActionException.NotAllowed.class);
    assertThat(runs).hasValue(0);
  }

  @Test
  void aStepThatDoesNotLeadFromThereSaysWhereTheEntityIs() {
    close();

    ActionOutcome<String> again = close();

    assertThat(again).isEqualTo(new ActionOutcome.WrongStatus<>("closed"));
    assertThatThrownBy(again::orThrow)
        .isInstanceOfSatisfying(
            ActionException.WrongStatus.class,
            wrong -> assertThat(wrong.status()).isEqualTo("closed"));
    assertThat(runs).hasValue(1);
  }

  @Test
  void anEntityWhoseModuleHasToLookFirstIsNotActedOn() {
    hapax.entities.remote = true;
    hapax.entities.put("17", "closing");

    ActionOutcome<String> outcome = close();

    assertThat(outcome).isEqualTo(new ActionOutcome.NeedsRecovery<>());
    assertThatThrownBy(outcome::orThrow).isInstanceOf(ActionException.NeedsRecovery.class);
  }

  @Test
  @DisplayName(
      "given an entity of another version than expected, when an action begins, then "
          + "it is rejected and nothing runs [C8]")
  void expectedVersion() {
    assertThatThrownBy(() -> claims.run(CLOSE.withExpectedVersion(7), this::close))
        .isInstanceOfSatisfying(
            HapaxException.Refused.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(ErrorReason.ERROR_REASON_CONCURRENCY_ERROR);
              assertThat(refused.metadata()).containsEntry("version", "1");
            });
    assertThat(runs).hasValue(0);
    assertThat(claims.run(CLOSE.withExpectedVersion(1), this::close))
        .isInstanceOf(ActionOutcome.Ran.class);
  }

  @Test
  @DisplayName(
      "given a lost response to begin, when it is retried with its attempt id, then "
          + "it is granted once [X1]")
  void beginIsLost() {
    hapax.faults.drop("beginAction", 2);

    assertThat(close()).isInstanceOf(ActionOutcome.Ran.class);

    assertThat(hapax.entities.requests(BeginActionRequest.class))
        .hasSize(3)
        .extracting(BeginActionRequest::getAttemptId)
        .doesNotContain("")
        .containsOnly(hapax.entities.requests(BeginActionRequest.class).get(0).getAttemptId());
    assertThat(runs).hasValue(1);
  }

  @Test
  void everyRunIsAnAttemptOfItsOwn() {
    claims.run(CLOSE, action -> ActionResult.failure("once"));
    close();

    assertThat(hapax.entities.requests(BeginActionRequest.class))
        .extracting(BeginActionRequest::getAttemptId)
        .hasSize(2)
        .doesNotHaveDuplicates();
  }

  @Test
  @DisplayName(
      "given a lost response to the end of an action, when it is retried, then the "
          + "outcome is the same [X1]")
  void endIsLost() {
    hapax.faults.drop("completeAction", 1);
    hapax.faults.silence("failAction", 1);

    assertThat(claims.run(CLOSE, action -> ActionResult.failure("no")))
        .isInstanceOf(ActionOutcome.Failed.class);
    assertThat(close()).isInstanceOf(ActionOutcome.Ran.class);

    assertThat(hapax.faults.calls("failAction")).isEqualTo(2);
    assertThat(hapax.faults.calls("completeAction")).isEqualTo(2);
  }

  @Test
  void whereHapaxIsAwayNothingRuns() {
    hapax.faults.down(true);
    Claims hasty =
        hapax.client(options -> options.withCallTimeout(Duration.ofMillis(200))).claims();

    assertThatThrownBy(() -> hasty.run(CLOSE, this::close))
        .isInstanceOf(HapaxException.Unavailable.class);

    assertThat(runs).hasValue(0);
  }

  @Test
  void anAnswerThatThisClientDoesNotKnowIsAnError() {
    hapax.entities.strange = true;

    assertThatThrownBy(this::close).isInstanceOf(HapaxException.UnknownAnswer.class);
  }

  @Test
  void anEndThatCannotBeToldIsUnrecordedAndHasWhatTheActionCameTo() {
    Claims hasty =
        hapax.client(options -> options.withRecordTimeout(Duration.ofMillis(100))).claims();

    ActionOutcome<String> outcome =
        hasty.run(
            CLOSE.withLease(Duration.ofMillis(100)),
            action -> {
              hapax.faults.down(true);
              return close(action);
            });

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Unrecorded.class,
            unsure ->
                assertThat(unsure.result())
                    .isEqualTo(ActionResult.success("closed 1 by CloseBillingActionUseCase")));
    assertThatThrownBy(outcome::orThrow).isInstanceOf(ActionException.Unrecorded.class);
  }

  @Test
  void anExceptionReachesTheCallerAlsoIfHapaxIsAway() {
    Claims hasty =
        hapax.client(options -> options.withRecordTimeout(Duration.ofMillis(100))).claims();

    assertThatThrownBy(
            () ->
                hasty.run(
                    CLOSE.withLease(Duration.ofMillis(100)),
                    action -> {
                      hapax.faults.down(true);
                      throw new IOException("disk full");
                    }))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aCallerThatIsInterruptedWhileItWaitsGivesAGrantBack() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Future<ActionOutcome<String>> holder = hold(go);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicBoolean flag = new AtomicBoolean();
    Thread second =
        new Thread(
            () -> {
              try {
                claims.run(CLOSE.withMaxWait(Duration.ofSeconds(20)), this::close);
              } catch (RuntimeException interrupted) {
                thrown.set(interrupted);
                flag.set(Thread.currentThread().isInterrupted());
              }
            });
    second.start();
    Conditions.until(() -> hapax.entities.requests(BeginActionRequest.class).size() == 2);

    second.interrupt();
    second.join();
    go.countDown();

    assertThat(thrown.get()).isInstanceOf(HapaxException.Unavailable.class);
    assertThat(flag).isTrue();
    assertThat(holder.get()).isInstanceOf(ActionOutcome.Failed.class);
    Conditions.until(() -> hapax.entities.requests(FailActionRequest.class).size() == 2);
    Conditions.until(() -> hapax.entities.status("17").equals("approved"));
    assertThat(runs).hasValue(0);
  }

  @Test
  void sendsWhatItWasBuiltWith() throws ExecutionException, InterruptedException {
    Claims other =
        hapax.client(options -> options.withWorkspace("tenant-1").withActor("ann")).claims();
    other.run(CLOSE.withLease(Duration.ofSeconds(7)), this::close);
    other.as("bob").run(CLOSE, this::close);

    List<BeginActionRequest> begun = hapax.entities.requests(BeginActionRequest.class);
    assertThat(begun).extracting(BeginActionRequest::getWorkspace).containsOnly("tenant-1");
    assertThat(begun).extracting(BeginActionRequest::getActor).containsExactly("ann", "bob");
    assertThat(begun.get(0).getLease().getSeconds()).isEqualTo(7);
    assertThat(begun.get(1).hasLease()).as("the janitor's").isFalse();
    assertThat(hapax.entities.requests(CompleteActionRequest.class))
        .extracting(CompleteActionRequest::getActor)
        .containsExactly("ann");
    assertThat(hapax.entities.requests(RenewActionRequest.class)).isEmpty();
  }

  @Test
  void refusesRequestsOutOfBounds() {
    assertThatThrownBy(() -> EntityKey.of("", "17")).hasMessageContaining("lifecycle");
    assertThatThrownBy(() -> EntityKey.of("billing", "")).hasMessageContaining("id");
    assertThatThrownBy(() -> EntityKey.of("billing", "x".repeat(256))).hasMessageContaining("255");
    assertThatThrownBy(() -> ActionRequest.of(INVOICE, "", "admin")).hasMessageContaining("step");
    assertThatThrownBy(() -> ActionRequest.of(INVOICE, "close", ""))
        .hasMessageContaining("requester");
    assertThatThrownBy(() -> CLOSE.withExpectedVersion(-1)).hasMessageContaining("expectedVersion");
    assertThatThrownBy(() -> CLOSE.withMaxWait(Duration.ofSeconds(31)))
        .hasMessageContaining("maxWait");
    assertThatThrownBy(() -> CLOSE.withLease(Duration.ofMillis(99))).hasMessageContaining("lease");
  }
}
