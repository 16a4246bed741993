package dev.hapax.testkit.operation;

import static dev.hapax.testkit.operation.Answers.as;
import static dev.hapax.testkit.operation.Caller.complete;
import static dev.hapax.testkit.operation.Caller.failFinally;
import static dev.hapax.testkit.operation.Caller.failRetryable;
import static dev.hapax.testkit.operation.Caller.failWithUnknownEffect;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.Replay;
import dev.hapax.domain.operation.ResolveOperation.Verdict;
import dev.hapax.domain.operation.ResolveOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract of repeated calls after other calls changed the key, on every ledger. */
public abstract class RepeatedCallContract {
  private static final AtomicInteger KEYS = new AtomicInteger();
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Failure REFUSED = new Failure("card_declined", "no", Optional.empty());

  protected abstract Ledger ledger();

  /** Returns after this much of the ledger's time has passed. */
  protected abstract void letPass(Duration time);

  private Answers answers() {
    return new Answers(ledger());
  }

  private static Caller newKey() {
    return Caller.of("repeated-" + KEYS.incrementAndGet());
  }

  private OperationClaim claim(Caller caller, String attemptId) {
    return answers().acquired(caller.begin(attemptId)).claim();
  }

  private Optional<Payload> replayed(BeginOperation begin) {
    var replayed = as(BeginOutcome.Replayed.class, answers().to(begin));
    return as(Replay.Result.class, replayed.replay()).result();
  }

  private ResolveOutcome.Resolved resolved(Caller caller, String requestId, Verdict verdict) {
    return as(ResolveOutcome.Resolved.class, answers().to(caller.resolve(requestId, verdict)));
  }

  @Test
  @DisplayName(
      "given another caller began, failed or ended it, then a retried failure is "
          + "`already` [X1]")
  void sentAgainAfterARival() {
    var caller = newKey();
    var first = claim(caller, "first");
    answers().to(failRetryable(first));
    var rival = claim(caller, "rival");
    failedAlready(failRetryable(first));

    answers().to(failRetryable(rival));
    var next = claim(caller, "next");
    failedAlready(failRetryable(first));
    failedAlready(failRetryable(rival));

    answers().to(complete(next));
    failedAlready(failRetryable(first));
    failedAlready(failRetryable(rival));
    assertThat(answers().to(failFinally(first, REFUSED))).isInstanceOf(OperationClaimLost.class);
    assertThat(answers().to(failRetryable(next))).isInstanceOf(OperationClaimLost.class);
    assertThat(replayed(caller.begin("again"))).isEmpty();
  }

  @Test
  @DisplayName("given an operator resolved it, then a retried failure is `already`")
  void sentAgainAfterAnOperator() {
    for (var last : List.of(new Verdict.Release(), new Verdict.Complete(Optional.empty()))) {
      var caller = newKey();
      var unknown = claim(caller, "unknown");
      answers().to(failWithUnknownEffect(unknown));
      answers().to(caller.release("r1"));
      failedAlready(failWithUnknownEffect(unknown));
      var refused = claim(caller, "refused");
      answers().to(failFinally(refused, REFUSED));
      answers().to(caller.release("r2"));
      var stuck = claim(caller, "stuck");
      answers().to(caller.resolve("r3", last));

      failedAlready(failWithUnknownEffect(unknown));
      failedAlready(failFinally(refused, REFUSED));
      assertThat(answers().to(failRetryable(stuck))).isInstanceOf(OperationClaimLost.class);
    }
  }

  @Test
  @DisplayName("given it expired and was begun again, then a retried failure is `already`")
  void sentAgainAfterItWasForgotten() {
    var caller = newKey();
    var first = claim(caller.ttl(Duration.ofMillis(1)), "first");
    answers().to(failRetryable(first));
    letPass(Duration.ofMillis(1));
    assertThat(answers().acquired(caller.begin("anew")).attempt()).isEqualTo(1);

    failedAlready(failRetryable(first));
  }

  private void failedAlready(Command<FailOutcome> failure) {
    assertThat(answers().to(failure)).isEqualTo(new FailOutcome.Failed(true));
  }

  @Test
  @DisplayName("given later resets, then a repeated reset changes nothing")
  void olderResetSentAgain() {
    var caller = newKey();
    answers().to(complete(claim(caller, "first")));
    resolved(caller, "r1", new Verdict.Release());
    claim(caller, "second");
    resolved(caller, "r2", new Verdict.Release());
    answers().to(complete(claim(caller, "third"), new Payload.Json("3")));

    assertThat(resolved(caller, "r1", new Verdict.Release()).already()).isTrue();
    assertThat(resolved(caller, "r2", new Verdict.Release()).already()).isTrue();
    assertThat(replayed(caller.begin("fourth"))).contains(new Payload.Json("3"));
    resolved(caller, "r3", new Verdict.Release());
    assertThat(resolved(caller, "r1", new Verdict.Release()).already()).isTrue();
  }

  @Test
  @DisplayName("given the key expired and was begun again, then a repeated reset changes nothing")
  void resetSentAgainAfterItWasForgotten() {
    var caller = newKey();
    claim(caller.ttl(SHORT), "first");
    resolved(caller, "r", new Verdict.Release());
    letPass(SHORT);
    answers().to(complete(claim(caller, "second"), new Payload.Json("2")));

    assertThat(resolved(caller, "r", new Verdict.Release()).already()).isTrue();
    assertThat(replayed(caller.begin("third"))).contains(new Payload.Json("2"));
  }
}
