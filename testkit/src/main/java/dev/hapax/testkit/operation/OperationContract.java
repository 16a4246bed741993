package dev.hapax.testkit.operation;

import static dev.hapax.testkit.operation.Answers.as;
import static dev.hapax.testkit.operation.Answers.standing;
import static dev.hapax.testkit.operation.Caller.complete;
import static dev.hapax.testkit.operation.Caller.completeAndMove;
import static dev.hapax.testkit.operation.Caller.failFinally;
import static dev.hapax.testkit.operation.Caller.failRetryable;
import static dev.hapax.testkit.operation.Caller.failWithUnknownEffect;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.RenewOutcome;
import dev.hapax.domain.operation.Replay;
import dev.hapax.domain.operation.ResolveOperation.Verdict;
import dev.hapax.domain.operation.ResolveOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of operations on every ledger. Each test uses separate keys; time only advances. */
public abstract class OperationContract {
  private static final AtomicInteger KEYS = new AtomicInteger();

  /** The shortest lease, for leases that expire in a test. */
  private static final Duration SHORT = Duration.ofMillis(100);

  private static final Failure REFUSED =
      new Failure("card_declined", "no", Optional.of(new Payload.Json("{\"left\": 0.10}")));

  protected abstract Ledger ledger();

  /** Returns after this much of the ledger's time has passed. */
  protected abstract void letPass(Duration time);

  private Answers answers() {
    return new Answers(ledger());
  }

  private static Caller newKey() {
    return Caller.of("request-" + KEYS.incrementAndGet());
  }

  private static List<BeginOperation> strangers(Caller caller, int number) {
    return IntStream.range(0, number).mapToObj(i -> caller.begin("stranger-" + i)).toList();
  }

  private OperationClaim claim(Caller caller, String attemptId) {
    return answers().acquired(caller.begin(attemptId)).claim();
  }

  private Replay replay(BeginOperation begin) {
    return as(BeginOutcome.Replayed.class, answers().to(begin)).replay();
  }

  private Optional<Payload> replayed(BeginOperation begin) {
    return as(Replay.Result.class, replay(begin)).result();
  }

  @Nested
  class Once {
    @Test
    @DisplayName("a JSON result is replayed byte for byte [I1]")
    void json() {
      var caller = newKey();
      var odd = new Payload.Json("{ \"b\" : 1.0, \"a\":1e2,\t\"ü\": \"\\u0000 \uD83D\uDE00\" }\n");
      answers().to(complete(claim(caller, "first"), odd));

      assertThat(replayed(caller.begin("second"))).contains(odd);
      assertThat(replayed(caller.begin("first"))).contains(odd);
    }

    @Test
    @DisplayName("a binary result is replayed byte for byte [I1]")
    void bytes() {
      var all = new byte[256];
      for (var i = 0; i < all.length; i++) {
        all[i] = (byte) i;
      }
      for (var result : List.of(new byte[0], all, new byte[Payload.MAX_BYTES])) {
        var caller = newKey();
        answers().to(complete(claim(caller, "first"), new Payload.Binary(result)));

        assertThat(replayed(caller.begin("second"))).contains(new Payload.Binary(result));
      }
    }

    @Test
    @DisplayName("void is replayed as void, and is not the same as empty [I8]")
    void voidResult() {
      var caller = newKey();
      answers().to(complete(claim(caller, "first")));

      assertThat(replayed(caller.begin("second"))).isEmpty();
    }

    @Test
    @DisplayName("a replay says when the operation ended")
    void endedAt() {
      var caller = newKey();
      var claim = claim(caller, "first");
      var before = answers().to(RecordAccess.time(caller.id()));
      answers().to(complete(claim));
      var after = answers().to(RecordAccess.time(caller.id()));

      assertThat(replay(caller.begin("second")).at()).isBetween(before, after);
    }

    @Test
    @DisplayName(
        "given 50 concurrent Begins, then exactly one acquires and the others get its "
            + "holder [I2]")
    void fiftyAtOnce() {
      var caller = newKey();

      var outcomes = answers().toAll(strangers(caller, 50));

      assertThat(outcomes).filteredOn(BeginOutcome.Acquired.class::isInstance).hasSize(1);
      assertThat(outcomes).filteredOn(BeginOutcome.InProgress.class::isInstance).hasSize(49);
    }

    @Test
    @DisplayName("50 Begins of the same attempt get one and the same claim")
    void sameAttemptAtOnce() {
      var caller = newKey();

      var outcomes =
          answers().toAll(IntStream.range(0, 50).mapToObj(_ -> caller.begin("mine")).toList());

      assertThat(outcomes.stream().map(o -> as(BeginOutcome.Acquired.class, o).claim()).distinct())
          .hasSize(1);
      assertThat(outcomes)
          .filteredOn(o -> as(BeginOutcome.Acquired.class, o).reentrant())
          .hasSize(49);
    }

    @Test
    @DisplayName("given 50 Completes with one claim, then the result of the first is recorded")
    void completesAtOnce() {
      var caller = newKey();
      var claim = claim(caller, "first");
      var results = IntStream.range(0, 50).mapToObj(i -> new Payload.Json("" + i)).toList();

      var outcomes = answers().toAll(results.stream().map(r -> complete(claim, r)).toList());

      assertThat(outcomes).filteredOn(new CompleteOutcome.Completed(true)::equals).hasSize(49);
      var first = results.get(outcomes.indexOf(new CompleteOutcome.Completed(false)));
      assertThat(replayed(caller.begin("second"))).contains(first);
    }

    @Test
    @DisplayName(
        "given another request under the same key, then it is KEY_REUSED and nothing "
            + "changes [I10]")
    void anotherRequest() {
      var caller = newKey();
      var other = caller.request("another request");
      var claim = claim(caller, "first");
      var held = answers().to(RecordAccess.read(caller.id()));

      assertThat(answers().to(other.begin("first"))).isEqualTo(new BeginOutcome.KeyReused());
      assertThat(answers().to(RecordAccess.read(caller.id()))).isEqualTo(held);

      answers().to(complete(claim));
      var done = answers().to(RecordAccess.read(caller.id()));
      assertThat(answers().to(other.begin("second"))).isEqualTo(new BeginOutcome.KeyReused());
      assertThat(answers().to(RecordAccess.read(caller.id()))).isEqualTo(done);
    }

    @Test
    @DisplayName("an empty fingerprint is a value like any other [I10]")
    void emptyFingerprint() {
      var caller = newKey().request("");
      answers().to(complete(claim(caller, "first")));

      assertThat(replayed(caller.begin("second"))).isEmpty();
      assertThat(answers().to(caller.request("x").begin("third")))
          .isEqualTo(new BeginOutcome.KeyReused());
    }

    @Test
    @DisplayName(
        "account, operation, workspace and kind of key are each a scope of their own " + "[I4]")
    void scopes() {
      var caller = newKey();
      var all =
          List.of(
              caller,
              caller.account("bob"),
              caller.account(""),
              caller.operation("orders/Cancel"),
              caller.workspace("elsewhere"),
              caller.accountChanging());

      all.forEach(
          each ->
              answers()
                  .to(complete(claim(each, "first"), new Payload.Json("" + all.indexOf(each)))));

      assertThat(all.stream().map(each -> replayed(each.begin("second")).orElseThrow()))
          .containsExactlyElementsOf(
              IntStream.range(0, all.size()).mapToObj(i -> new Payload.Json("" + i)).toList());
    }
  }

  @Nested
  class Failing {
    @Test
    @DisplayName("a failure frees the key; the next Begin executes, with a higher fence [I3]")
    void retryable() {
      var caller = newKey();
      var first = claim(caller, "first");

      assertThat(answers().to(failRetryable(first))).isEqualTo(new FailOutcome.Failed(false));
      assertThat(answers().to(failRetryable(first))).isEqualTo(new FailOutcome.Failed(true));
      var next = answers().acquired(caller.begin("second"));

      assertThat(next.attempt()).isEqualTo(2);
      assertThat(next.reclaimed()).isFalse();
      assertThat(next.claim().fence()).isGreaterThan(first.fence());
    }

    @Test
    @DisplayName("of 50 Begins after a failure exactly one acquires")
    void fiftyAfterFailure() {
      var caller = newKey();
      answers().to(failRetryable(claim(caller, "first")));

      assertThat(answers().toAll(strangers(caller, 50)))
          .filteredOn(BeginOutcome.Acquired.class::isInstance)
          .hasSize(1);
    }

    @Test
    @DisplayName("a final failure is replayed whole")
    void finalFailure() {
      var caller = newKey();
      var claim = claim(caller, "first");

      assertThat(answers().to(failFinally(claim, REFUSED)))
          .isEqualTo(new FailOutcome.Failed(false));
      assertThat(answers().to(failFinally(claim, REFUSED))).isEqualTo(new FailOutcome.Failed(true));
      assertThat(as(Replay.Failed.class, replay(caller.begin("second"))).failure())
          .isEqualTo(REFUSED);
      assertThat(standing(answers().to(complete(claim)))).isInstanceOf(Operation.Rejected.class);
    }

    @Test
    @DisplayName("an unknown effect holds the key until its holder or an operator resolves it")
    void unknownEffect() {
      var caller = newKey();
      var claim = claim(caller, "first");

      assertThat(answers().to(failWithUnknownEffect(claim)))
          .isEqualTo(new FailOutcome.Failed(false));
      assertThat(answers().to(failWithUnknownEffect(claim)))
          .isEqualTo(new FailOutcome.Failed(true));
      assertThat(answers().toAll(strangers(caller, 10)))
          .allSatisfy(o -> assertThat(o).isInstanceOf(BeginOutcome.Indeterminate.class));
      assertThat(answers().to(complete(claim, new Payload.Json("1"))))
          .isEqualTo(new CompleteOutcome.Completed(false));
      assertThat(replayed(caller.begin("second"))).contains(new Payload.Json("1"));
    }
  }

  @Nested
  class Leases {
    @Test
    @DisplayName("exactly one of 50 reclaims a stale key, and the old holder is rejected [I9]")
    void reclaimedByOne() {
      var caller = newKey();
      var old = claim(caller.lease(SHORT), "dead");
      letPass(SHORT);

      var outcomes = answers().toAll(strangers(caller, 50));

      assertThat(outcomes).filteredOn(BeginOutcome.InProgress.class::isInstance).hasSize(49);
      var winner =
          as(
              BeginOutcome.Acquired.class,
              outcomes.stream().filter(BeginOutcome.Acquired.class::isInstance).findFirst().get());
      assertThat(winner.reclaimed()).isTrue();
      assertThat(winner.attempt()).isEqualTo(2);
      assertThat(winner.claim().fence()).isGreaterThan(old.fence());

      assertThat(answers().to(complete(old, new Payload.Json("\"old\""))))
          .isInstanceOf(OperationClaimLost.class);
      assertThat(answers().to(failRetryable(old))).isInstanceOf(OperationClaimLost.class);
      assertThat(answers().to(caller.renew(old))).isInstanceOf(OperationClaimLost.class);
      answers().to(complete(winner.claim(), new Payload.Json("\"new\"")));
      assertThat(standing(answers().to(complete(old))).replay())
          .hasValueSatisfying(
              r ->
                  assertThat(as(Replay.Result.class, r).result())
                      .contains(new Payload.Json("\"new\"")));
    }

    @Test
    @DisplayName(
        "given an expired lease without a new holder, then the late holder still renews and completes")
    void lateHolder() {
      var caller = newKey();
      var claim = claim(caller.lease(SHORT), "slow");
      letPass(SHORT);

      assertThat(answers().to(caller.lease(SHORT).renew(claim)))
          .isEqualTo(new RenewOutcome.Renewed(SHORT));
      letPass(SHORT);
      assertThat(answers().to(complete(claim))).isEqualTo(new CompleteOutcome.Completed(false));
    }

    @Test
    @DisplayName("the same attempt gets its claim again, with a topped-up lease, also a late one")
    void reentrance() {
      var caller = newKey();
      var claim = claim(caller.lease(SHORT), "mine");
      letPass(SHORT);

      var again = answers().acquired(caller.begin("mine"));

      assertThat(again)
          .isEqualTo(
              new BeginOutcome.Acquired(claim, caller.lease(), caller.lease(), 1, false, true));
      assertThat(answers().to(caller.begin("other"))).isInstanceOf(BeginOutcome.InProgress.class);
    }

    @Test
    @DisplayName("a shorter renewal does not shorten the lease")
    void shorterRenewal() {
      var caller = newKey();
      var claim = claim(caller, "mine");

      var renewed = as(RenewOutcome.Renewed.class, answers().to(caller.lease(SHORT).renew(claim)));

      assertThat(renewed.leaseRemaining()).isBetween(SHORT.multipliedBy(2), caller.lease());
    }

    @Test
    @DisplayName("given HOLD by the holder or the next caller, then only an operator resolves it")
    void hold() {
      for (var byHolder : List.of(true, false)) {
        var caller = newKey();
        var holding = caller.onStale(OnStale.HOLD);
        var claim = claim((byHolder ? holding : caller).lease(SHORT), "dead");
        letPass(SHORT);

        assertThat(answers().toAll(strangers(byHolder ? caller : holding, 10)))
            .allSatisfy(o -> assertThat(o).isInstanceOf(BeginOutcome.Indeterminate.class));
        assertThat(answers().to(caller.begin("other")))
            .isInstanceOf(BeginOutcome.Indeterminate.class);
        assertThat(answers().to(complete(claim))).isEqualTo(new CompleteOutcome.Completed(false));
      }
    }

    @Test
    @DisplayName("given HOLD, then a late holder may renew, and a duplicate cannot take over")
    void renewedWhileHeld() {
      for (var byHolder : List.of(true, false)) {
        var caller = newKey();
        var holding = caller.onStale(OnStale.HOLD);
        var claim = claim((byHolder ? holding : caller).lease(SHORT), "late");
        letPass(SHORT);
        answers().to((byHolder ? caller : holding).begin("duplicate"));

        assertThat(answers().to(caller.lease(SHORT).renew(claim)))
            .isEqualTo(new RenewOutcome.Renewed(SHORT));
        letPass(SHORT);
        assertThat(answers().to(caller.begin("duplicate")))
            .isInstanceOf(BeginOutcome.Indeterminate.class);

        assertThat(answers().to(caller.renew(claim)))
            .isEqualTo(new RenewOutcome.Renewed(caller.lease()));
        assertThat(answers().to(caller.begin("duplicate")))
            .isInstanceOf(BeginOutcome.InProgress.class);
        assertThat(answers().acquired(caller.begin("late")).claim()).isEqualTo(claim);

        answers().to(caller.release("by hand"));
        assertThat(answers().to(caller.renew(claim))).isInstanceOf(OperationClaimLost.class);
      }
    }

    @Test
    @DisplayName(
        "given a holder reported UNKNOWN_EFFECT, then it cannot renew, and a repeated report changes nothing")
    void notRenewedAfterUnknownEffect() {
      var caller = newKey();
      var holding = caller.onStale(OnStale.HOLD);
      var claim = claim(holding.lease(SHORT), "late");
      letPass(SHORT);
      answers().to(caller.begin("duplicate"));

      assertThat(answers().to(failWithUnknownEffect(claim)))
          .isEqualTo(new FailOutcome.Failed(false));
      assertThat(answers().to(failWithUnknownEffect(claim)))
          .isEqualTo(new FailOutcome.Failed(true));
      assertThat(standing(answers().to(caller.renew(claim))))
          .isInstanceOf(Operation.Indeterminate.class);
      assertThat(answers().to(caller.begin("duplicate")))
          .isInstanceOf(BeginOutcome.Indeterminate.class);
    }
  }

  @Nested
  class Forgetting {
    private final Duration soon = Duration.ofMillis(1);

    @Test
    @DisplayName("past its ttl a key counts as new before any clean-up, with a higher fence [I7]")
    void pastItsTimeToLive() {
      List<Function<OperationClaim, Command<?>>> endings =
          List.of(
              claim -> complete(claim, new Payload.Json("1")),
              claim -> failFinally(claim, REFUSED),
              Caller::failRetryable);
      for (var ending : endings) {
        var caller = newKey();
        var first = claim(caller.ttl(soon), "first");
        answers().to(ending.apply(first));
        letPass(soon);

        var next = answers().acquired(caller.request("another").begin("second"));

        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.reclaimed()).isFalse();
        assertThat(next.claim().fence()).isGreaterThan(first.fence());
      }
    }

    @Test
    @DisplayName("of 50 Begins past the ttl exactly one acquires [I7]")
    void fiftyPastTheTimeToLive() {
      var caller = newKey();
      answers().to(complete(claim(caller.ttl(soon), "first")));
      letPass(soon);

      assertThat(answers().toAll(strangers(caller, 50)))
          .filteredOn(BeginOutcome.Acquired.class::isInstance)
          .hasSize(1);
    }

    @Test
    @DisplayName("an operation in progress or in doubt never expires")
    void neverForgotten() {
      var held = newKey();
      answers().acquired(held.ttl(soon).begin("first"));
      var doubtful = newKey();
      answers().to(failWithUnknownEffect(claim(doubtful.ttl(soon), "first")));
      letPass(soon);

      assertThat(answers().to(held.begin("other"))).isInstanceOf(BeginOutcome.InProgress.class);
      assertThat(answers().to(held.request("another").begin("other")))
          .isEqualTo(new BeginOutcome.KeyReused());
      assertThat(answers().to(doubtful.begin("other")))
          .isInstanceOf(BeginOutcome.Indeterminate.class);
    }

    @Test
    @DisplayName("a completion after the ttl is recorded, and a repeated one says so")
    void lateCompletion() {
      var caller = newKey();
      var claim = claim(caller.ttl(soon), "slow");
      letPass(soon);

      assertThat(answers().to(complete(claim))).isEqualTo(new CompleteOutcome.Completed(false));
      assertThat(answers().to(complete(claim))).isEqualTo(new CompleteOutcome.Completed(true));

      var next = claim(caller, "next");
      assertThat(answers().to(complete(claim))).isInstanceOf(OperationClaimLost.class);
      assertThat(answers().to(complete(next))).isEqualTo(new CompleteOutcome.Completed(false));
    }

    @Test
    @DisplayName("given an expired result, then a retry by its own sender still gets it")
    void completedAgainAfterExpiry() {
      var caller = newKey();
      var claim = claim(caller.ttl(soon), "first");
      answers().to(complete(claim));
      letPass(soon);

      assertThat(answers().to(complete(claim))).isEqualTo(new CompleteOutcome.Completed(true));
    }

    @Test
    @DisplayName("the ttl runs from the last grant")
    void runsFromTheLastGrant() {
      var caller = newKey();
      answers().to(failRetryable(claim(caller.ttl(soon), "first")));
      var second = claim(caller, "second");
      answers().to(complete(second, new Payload.Json("2")));
      letPass(soon);

      assertThat(replayed(caller.begin("third"))).contains(new Payload.Json("2"));
    }
  }

  @Nested
  class AccountChanging {
    private final Caller ann = newKey().accountChanging();

    @Test
    @DisplayName(
        "the operation is found without the account; only the account before and after "
            + "get the result [I5]")
    void accountChanges() {
      var claim = claim(ann, "first");
      assertThat(answers().to(ann.account("anna").begin("second")))
          .isInstanceOf(BeginOutcome.InProgress.class);
      answers().to(completeAndMove(claim, "anna"));

      assertThat(replayed(ann.begin("third"))).isEmpty();
      assertThat(replayed(ann.account("anna").begin("fourth"))).isEmpty();
      assertThat(answers().to(ann.account("eve").begin("fifth")))
          .isEqualTo(new BeginOutcome.AccountMismatch());
      assertThat(answers().to(ann.account("eve").request("guess").begin("sixth")))
          .isEqualTo(new BeginOutcome.AccountMismatch());
    }

    @Test
    @DisplayName("given the account did not change, then only it gets the result [I5]")
    void accountStays() {
      answers().to(complete(claim(ann, "first")));
      assertThat(replayed(ann.begin("second"))).isEmpty();
      assertThat(answers().to(ann.account("eve").begin("third")))
          .isEqualTo(new BeginOutcome.AccountMismatch());
    }

    @Test
    @DisplayName("only the claim's account gets a final failure [I5]")
    void failureOfAnAccount() {
      answers().to(failFinally(claim(ann, "first"), REFUSED));
      assertThat(as(Replay.Failed.class, replay(ann.begin("second"))).failure()).isEqualTo(REFUSED);
      assertThat(answers().to(ann.account("eve").begin("third")))
          .isEqualTo(new BeginOutcome.AccountMismatch());
    }

    @Test
    @DisplayName(
        "given a takeover under the new account, then it completes and gets its result " + "[I5]")
    void takenOverUnderTheNewAccount() {
      claim(ann.lease(SHORT), "dies after the change");
      letPass(SHORT);
      var anna = ann.account("anna");
      answers().to(complete(claim(anna, "retry"), new Payload.Json("1")));

      assertThat(replayed(anna.begin("again"))).contains(new Payload.Json("1"));
      assertThat(replayed(ann.begin("again"))).contains(new Payload.Json("1"));
    }

    @Test
    @DisplayName(
        "given a takeover that changes the account, then its caller gets the result "
            + "under the account it used [I5]")
    void takenOverAndMovedOn() {
      claim(ann.lease(SHORT), "dead");
      letPass(SHORT);
      var anna = ann.account("anna");
      answers().to(completeAndMove(claim(anna, "retry"), "annabel"));

      assertThat(replayed(anna.begin("retry"))).isEmpty();
      assertThat(replayed(ann.account("annabel").begin("again"))).isEmpty();
    }
  }

  @Nested
  class Resolving {
    private final Caller caller = newKey();

    private ResolveOutcome.Resolved resolved(String requestId, Verdict verdict) {
      return as(ResolveOutcome.Resolved.class, answers().to(caller.resolve(requestId, verdict)));
    }

    @Test
    @DisplayName("each verdict resolves a stuck operation once, and fences off its holder")
    void settles() {
      List<Verdict> verdicts =
          List.of(
              new Verdict.Complete(Optional.of(new Payload.Json("1"))),
              new Verdict.Complete(Optional.empty()),
              new Verdict.Reject(REFUSED),
              new Verdict.Release());
      for (var verdict : verdicts) {
        for (var inDoubt : List.of(true, false)) {
          var key = newKey();
          var claim = claim(key, "stuck");
          if (inDoubt) {
            answers().to(failWithUnknownEffect(claim));
          }

          var first = as(ResolveOutcome.Resolved.class, answers().to(key.resolve("r", verdict)));
          var again = as(ResolveOutcome.Resolved.class, answers().to(key.resolve("r", verdict)));

          assertThat(first.already()).isFalse();
          assertThat(first.operation().grant().fence()).isGreaterThan(claim.fence());
          assertThat(again).isEqualTo(new ResolveOutcome.Resolved(first.operation(), true));
          assertThat(standing(answers().to(complete(claim)))).isEqualTo(first.operation());
          assertThat(answers().to(key.begin("next")))
              .isInstanceOf(
                  verdict instanceof Verdict.Release
                      ? BeginOutcome.Acquired.class
                      : BeginOutcome.Replayed.class);
        }
      }
    }

    @Test
    @DisplayName("an ended operation can only be reset; an unknown one cannot be resolved")
    void onlyReset() {
      assertThat(answers().to(caller.release("early"))).isEqualTo(new ResolveOutcome.NotFound());

      answers().to(complete(claim(caller, "first"), new Payload.Json("1")));
      assertThat(answers().to(caller.resolve("r1", new Verdict.Reject(REFUSED))))
          .isInstanceOf(ResolveOutcome.NotAllowed.class);
      assertThat(replayed(caller.begin("second"))).contains(new Payload.Json("1"));

      assertThat(resolved("r2", new Verdict.Release()).already()).isFalse();
      assertThat(answers().acquired(caller.begin("third")).attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("a repeated reset changes nothing, also if the key was begun again in between")
    void resetSentAgain() {
      answers().to(complete(claim(caller, "first")));
      resolved("r", new Verdict.Release());
      var second = claim(caller, "second");

      assertThat(resolved("r", new Verdict.Release()).already()).isTrue();
      assertThat(answers().to(complete(second, new Payload.Json("2"))))
          .isEqualTo(new CompleteOutcome.Completed(false));
      assertThat(resolved("r", new Verdict.Release()).already()).isTrue();
      assertThat(replayed(caller.begin("third"))).contains(new Payload.Json("2"));
    }

    @Test
    @DisplayName("an expired operation cannot be resolved")
    void forgotten() {
      answers().to(complete(claim(caller.ttl(Duration.ofMillis(1)), "first")));
      letPass(Duration.ofMillis(1));

      assertThat(answers().to(caller.release("r"))).isEqualTo(new ResolveOutcome.NotFound());
    }
  }

  @Nested
  class LongLives {
    @Test
    @DisplayName(
        "given a key is begun again, then it never replays an older result, and fences rise")
    void noOlderAnswer() {
      var caller = newKey();
      var fences = new ArrayList<Fence>();
      for (var life = 0; life < 4; life++) {
        var done = new Payload.Json("" + life);

        var completed = claim(caller, "a" + life);
        answers().to(complete(completed, done));
        assertThat(replayed(caller.begin("b"))).contains(done);
        answers().to(caller.release("reset-1-" + life));

        var failed = claim(caller, "c" + life);
        answers().to(failRetryable(failed));

        var rejected = claim(caller, "d" + life);
        answers().to(failFinally(rejected, new Failure("code-" + life, "", Optional.empty())));
        assertThat(as(Replay.Failed.class, replay(caller.begin("e"))).failure().code())
            .isEqualTo("code-" + life);
        answers().to(caller.release("reset-2-" + life));

        var forgotten = claim(caller.ttl(Duration.ofMillis(1)), "f" + life);
        answers().to(complete(forgotten, new Payload.Json("\"old\"")));
        letPass(Duration.ofMillis(1));

        var stale = claim(caller.lease(SHORT), "g" + life);
        letPass(SHORT);
        var taken = claim(caller, "h" + life);
        answers().to(failRetryable(taken));
        List.of(completed, failed, rejected, forgotten, stale, taken)
            .forEach(claim -> fences.add(claim.fence()));
        assertThat(answers().toAll(fencedOff(completed, failed, rejected, forgotten, stale)))
            .allSatisfy(o -> assertThat(o).isInstanceOf(OperationClaimLost.class));
      }
      assertThat(fences).isSorted().doesNotHaveDuplicates();
    }

    private static List<Command<CompleteOutcome>> fencedOff(OperationClaim... claims) {
      return List.of(claims).stream()
          .<Command<CompleteOutcome>>map(claim -> complete(claim, new Payload.Json("666")))
          .toList();
    }

    @Test
    @DisplayName("an operation may begin and end in one batch, with or without an older result")
    void wholeLifeInOneBatch() {
      var caller = newKey();
      for (var life = 0; life < 3; life++) {
        var answer = new Payload.Json("" + life);
        var outcomes =
            answers()
                .to(
                    CombinedCommands.of(
                        caller.release("reset-" + life),
                        caller.begin("a" + life),
                        caller.resolve("r-" + life, new Verdict.Complete(Optional.of(answer))),
                        caller.begin("b" + life)));

        assertThat(outcomes.get(1)).isInstanceOf(BeginOutcome.Acquired.class);
        assertThat(outcomes.get(3)).isInstanceOf(BeginOutcome.Replayed.class);
        assertThat(replayed(caller.begin("c" + life))).contains(answer);
      }
    }

    @Test
    @DisplayName("50 keys begun and ended at once, each in one batch, keep each its own answer")
    void manyLivesAtOnce() {
      var callers = IntStream.range(0, 50).mapToObj(_ -> newKey()).toList();

      answers()
          .toAll(
              callers.stream()
                  .map(
                      caller ->
                          CombinedCommands.of(
                              caller.begin("first"),
                              caller.resolve("r", new Verdict.Complete(Optional.of(name(caller))))))
                  .toList());

      var replays =
          answers().toAll(callers.stream().map(caller -> caller.begin("second")).toList());
      assertThat(replays.stream().map(o -> as(BeginOutcome.Replayed.class, o).replay()))
          .extracting(replay -> as(Replay.Result.class, replay).result().orElseThrow())
          .containsExactlyElementsOf(callers.stream().map(LongLives::name).toList());
    }

    private static Payload name(Caller caller) {
      return new Payload.Json('"' + caller.key().requestId() + '"');
    }
  }
}
