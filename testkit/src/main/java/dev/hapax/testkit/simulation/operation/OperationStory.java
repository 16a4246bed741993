package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.Operation.State;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.domain.operation.RenewOutcome;
import dev.hapax.domain.operation.Replay;
import dev.hapax.domain.operation.ResolveOperation;
import dev.hapax.domain.operation.ResolveOutcome;
import dev.hapax.testkit.simulation.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What one key's callers may be told, after all that was said before. Goes by commands and outcomes
 * alone, and never looks at a record.
 */
final class OperationStory {
  private final OperationId id;
  private final Trace trace;
  private final Set<OperationClaim> given = new HashSet<>();
  private final PastCalls past = new PastCalls();
  private long highestFence = Long.MIN_VALUE;
  private Optional<HolderModel> last = Optional.empty();

  OperationStory(OperationId id, Trace trace) {
    this.id = id;
    this.trace = trace;
  }

  void demand(boolean holds, String otherwise) {
    if (!holds) {
      trace.complain(id, otherwise + "; what is there: " + last);
    }
  }

  /** Since when nobody is at work on it; empty = somebody is. */
  Optional<Instant> freeSince(Instant now) {
    return last.isEmpty() ? Optional.of(Instant.MIN) : last.get().freeSince(now);
  }

  /** Whether its holder has not ended it, live or not. */
  boolean isHeld() {
    return last.filter(tenure -> tenure.state() == State.IN_PROGRESS).isPresent();
  }

  boolean isLast(Fence fence) {
    return last.filter(tenure -> tenure.granted().equals(fence)).isPresent();
  }

  Optional<HolderModel> standing(Instant now) {
    return last.filter(tenure -> !tenure.isForgotten(now));
  }

  void begun(BeginOperation asked, BeginOutcome told, Instant now) {
    new BeginRules(this, asked, now).judge(told);
  }

  void granted(BeginOperation asked, BeginOutcome.Acquired told, Instant now) {
    risen(told.claim());
    demand(given.add(told.claim()), "the same claim was given twice");
    var tenure = new HolderModel(asked, told.claim(), standing(now), now);
    demand(told.attempt() == tenure.attempt(), "attempts were miscounted");
    leased(told.leaseRemaining(), now.plus(asked.lease()), now);
    last.ifPresent(past::replaced);
    last = Optional.of(tenure);
  }

  private void risen(OperationClaim claim) {
    demand(claim.fence().value() > highestFence, "a fence did not rise above " + highestFence);
    highestFence = Math.max(highestFence, claim.fence().value());
  }

  void leased(Duration told, Instant until, Instant now) {
    demand(told.equals(Duration.between(now, until)), "the lease is not what was asked for");
  }

  void completed(CompleteOperation asked, CompleteOutcome told, Instant now) {
    switch (told) {
      case CompleteOutcome.Completed o when o.already() -> repeated(asked.claim(), State.COMPLETED);
      case CompleteOutcome.Completed _ -> {
        var replay = new Replay.Result(asked.result(), now);
        ended(asked.claim(), State.COMPLETED, Optional.of(replay), now);
        last.ifPresent(tenure -> asked.accountAfter().ifPresent(tenure::inform));
      }
      case OperationClaimLost lost -> {
        demand(!isHeld(asked.claim(), State.COMPLETED), "the holder's result was refused");
        refused(asked.claim(), lost);
      }
    }
  }

  void failed(FailOperation asked, FailOutcome told, Instant now) {
    var aim =
        switch (asked.verdict()) {
          case FailOperation.Verdict.Retryable _ -> State.RELEASED;
          case FailOperation.Verdict.Final _ -> State.REJECTED;
          case FailOperation.Verdict.UnknownEffect _ -> State.INDETERMINATE;
        };
    switch (told) {
      case FailOutcome.Failed o when o.already() ->
          demand(past.hasFailed(asked.claim(), aim), "already failed, though it never was");
      case FailOutcome.Failed _ -> {
        past.failed(asked.claim(), aim);
        ended(asked.claim(), aim, replay(asked.verdict(), now), now);
      }
      case OperationClaimLost lost -> {
        demand(!isHeld(asked.claim(), aim), "the holder's failure was refused");
        demand(!past.mustRememberFailure(asked.claim(), aim), "a failure sent again was refused");
        refused(asked.claim(), lost);
      }
    }
  }

  private static Optional<Replay> replay(FailOperation.Verdict verdict, Instant now) {
    return verdict instanceof FailOperation.Verdict.Final failed
        ? Optional.of(new Replay.Failed(failed.cause(), now))
        : Optional.empty();
  }

  /** Whether this is the last grant's claim and its verb with this aim must be accepted. */
  private boolean isHeld(OperationClaim claim, State aim) {
    return last.filter(tenure -> tenure.claim().equals(claim))
        .filter(tenure -> tenure.isOpen() || tenure.state() == aim)
        .isPresent();
  }

  private void repeated(OperationClaim claim, State aim) {
    demand(
        last.filter(tenure -> tenure.claim().equals(claim) && tenure.state() == aim).isPresent(),
        "already, though it never was");
  }

  private void ended(OperationClaim claim, State aim, Optional<Replay> replay, Instant now) {
    demand(
        isHeld(claim, State.IN_PROGRESS) && !last.orElseThrow().hasEndedAs(aim),
        "a claim that does not hold ended it");
    last.ifPresent(tenure -> tenure.become(aim, replay, now));
  }

  void renewed(RenewOperation asked, RenewOutcome told, Instant now) {
    var held =
        last.filter(tenure -> tenure.claim().equals(asked.claim()))
            .filter(HolderModel::isRenewable);
    switch (told) {
      case RenewOutcome.Renewed o when held.isPresent() ->
          leased(o.leaseRemaining(), held.get().renew(now.plus(asked.lease())), now);
      case RenewOutcome.Renewed _ -> demand(false, "a claim that does not hold was renewed");
      case OperationClaimLost lost -> {
        demand(held.isEmpty(), "the holder was not renewed");
        refused(asked.claim(), lost);
      }
    }
  }

  /** Who once had a claim is told what stands instead. */
  private void refused(OperationClaim claim, OperationClaimLost lost) {
    if (given.contains(claim)) {
      demand(lost.standing().isPresent() == last.isPresent(), "told of nothing that stands");
      lost.standing().ifPresent(this::stands);
    }
  }

  private void stands(Operation told) {
    var tenure = last.orElseThrow();
    demand(told.state() == tenure.state(), "told of another state");
    demand(told.replay().equals(tenure.answer()), "told of another answer");
    demand(told.grant().fence().equals(tenure.claim().fence()), "told of another grant");
  }

  void resolved(ResolveOperation asked, ResolveOutcome told, Instant now) {
    var standing = standing(now);
    if (told instanceof ResolveOutcome.NotFound || standing.isEmpty()) {
      demand(
          told instanceof ResolveOutcome.NotFound && standing.isEmpty(),
          "an operator was told of something that is not there, or not of what is");
      return;
    }
    var tenure = standing.get();
    var order = asked.request().id();
    var release = asked.verdict() instanceof ResolveOperation.Verdict.Release;
    switch (told) {
      case ResolveOutcome.Resolved o when o.already() -> {
        demand(past.isResolvedBy(order), "already resolved, though it never was");
        stands(o.operation());
      }
      case ResolveOutcome.Resolved o -> {
        demand(!past.mustRememberResolution(order), "the same order was carried out twice");
        demand(release || tenure.isOpen(), "an answer was overwritten by an operator");
        var grant = o.operation().grant();
        var claim = new OperationClaim(id, grant.nonce(), grant.fence());
        risen(claim);
        past.replaced(tenure);
        past.resolved(order);
        tenure.resolve(claim, now);
        carriedOut(asked.verdict(), tenure, now);
        stands(o.operation());
      }
      case ResolveOutcome.NotAllowed o -> {
        demand(
            !past.mustRememberResolution(order) && !release && !tenure.isOpen(),
            "an operator was refused");
        stands(o.standing());
      }
      case ResolveOutcome.NotFound _ -> {}
    }
  }

  private static void carriedOut(
      ResolveOperation.Verdict verdict, HolderModel tenure, Instant now) {
    switch (verdict) {
      case ResolveOperation.Verdict.Complete v ->
          tenure.become(State.COMPLETED, Optional.of(new Replay.Result(v.result(), now)), now);
      case ResolveOperation.Verdict.Reject v ->
          tenure.become(State.REJECTED, Optional.of(new Replay.Failed(v.failure(), now)), now);
      case ResolveOperation.Verdict.Release _ ->
          tenure.become(State.RELEASED, Optional.empty(), now);
    }
  }

  /** It was cleaned away. */
  void removed(Instant now) {
    demand(last.filter(tenure -> tenure.isForgotten(now)).isPresent(), "cleaned away too soon");
    last = Optional.empty();
    past.forget();
  }
}
