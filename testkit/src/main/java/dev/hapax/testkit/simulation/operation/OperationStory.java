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
 * The model of one key: which outcomes are allowed after the previous calls. Uses only commands and
 * outcomes, never records.
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
      trace.complain(id, otherwise + "; current state: " + last);
    }
  }

  /** Since when no lease is live; empty = a lease is live. */
  Optional<Instant> freeSince(Instant now) {
    return last.isEmpty() ? Optional.of(Instant.MIN) : last.get().freeSince(now);
  }

  /** Whether a holder has not ended it, with a live or expired lease. */
  boolean isHeld() {
    return last.filter(holder -> holder.state() == State.IN_PROGRESS).isPresent();
  }

  boolean isLast(Fence fence) {
    return last.filter(holder -> holder.granted().equals(fence)).isPresent();
  }

  Optional<HolderModel> standing(Instant now) {
    return last.filter(holder -> !holder.isForgotten(now));
  }

  void begun(BeginOperation command, BeginOutcome outcome, Instant now) {
    new BeginRules(this, command, now).check(outcome);
  }

  void granted(BeginOperation command, BeginOutcome.Acquired outcome, Instant now) {
    risen(outcome.claim());
    demand(given.add(outcome.claim()), "the same claim was given twice");
    var holder = new HolderModel(command, outcome.claim(), standing(now), now);
    demand(outcome.attempt() == holder.attempt(), "attempts were miscounted");
    leased(outcome.leaseRemaining(), now.plus(command.lease()), now);
    last.ifPresent(past::replaced);
    last = Optional.of(holder);
  }

  private void risen(OperationClaim claim) {
    demand(claim.fence().value() > highestFence, "a fence did not rise above " + highestFence);
    highestFence = Math.max(highestFence, claim.fence().value());
  }

  void leased(Duration outcome, Instant until, Instant now) {
    demand(outcome.equals(Duration.between(now, until)), "the lease is not the requested one");
  }

  void completed(CompleteOperation command, CompleteOutcome outcome, Instant now) {
    switch (outcome) {
      case CompleteOutcome.Completed o when o.already() ->
          repeated(command.claim(), State.COMPLETED);
      case CompleteOutcome.Completed _ -> {
        var replay = new Replay.Result(command.result(), now);
        ended(command.claim(), State.COMPLETED, Optional.of(replay), now);
        last.ifPresent(holder -> command.accountAfter().ifPresent(holder::inform));
      }
      case OperationClaimLost lost -> {
        demand(!isHeld(command.claim(), State.COMPLETED), "the holder's result was rejected");
        rejected(command.claim(), lost);
      }
    }
  }

  void failed(FailOperation command, FailOutcome outcome, Instant now) {
    var aim =
        switch (command.verdict()) {
          case FailOperation.Verdict.Retryable _ -> State.RELEASED;
          case FailOperation.Verdict.Final _ -> State.REJECTED;
          case FailOperation.Verdict.UnknownEffect _ -> State.INDETERMINATE;
        };
    switch (outcome) {
      case FailOutcome.Failed o when o.already() ->
          demand(past.hasFailed(command.claim(), aim), "already failed, though it never was");
      case FailOutcome.Failed _ -> {
        past.failed(command.claim(), aim);
        ended(command.claim(), aim, replay(command.verdict(), now), now);
      }
      case OperationClaimLost lost -> {
        demand(!isHeld(command.claim(), aim), "the holder's failure was rejected");
        demand(!past.mustRememberFailure(command.claim(), aim), "a retried failure was rejected");
        rejected(command.claim(), lost);
      }
    }
  }

  private static Optional<Replay> replay(FailOperation.Verdict verdict, Instant now) {
    return verdict instanceof FailOperation.Verdict.Final failed
        ? Optional.of(new Replay.Failed(failed.cause(), now))
        : Optional.empty();
  }

  /** Whether this is the claim of the last grant, and a call to reach this state must succeed. */
  private boolean isHeld(OperationClaim claim, State aim) {
    return last.filter(holder -> holder.claim().equals(claim))
        .filter(holder -> holder.isOpen() || holder.state() == aim)
        .isPresent();
  }

  private void repeated(OperationClaim claim, State aim) {
    demand(
        last.filter(holder -> holder.claim().equals(claim) && holder.state() == aim).isPresent(),
        "already, though it never was");
  }

  private void ended(OperationClaim claim, State aim, Optional<Replay> replay, Instant now) {
    demand(
        isHeld(claim, State.IN_PROGRESS) && !last.orElseThrow().hasEndedAs(aim),
        "a claim that does not hold ended it");
    last.ifPresent(holder -> holder.become(aim, replay, now));
  }

  void renewed(RenewOperation command, RenewOutcome outcome, Instant now) {
    var held =
        last.filter(holder -> holder.claim().equals(command.claim()))
            .filter(HolderModel::isRenewable);
    switch (outcome) {
      case RenewOutcome.Renewed o when held.isPresent() ->
          leased(o.leaseRemaining(), held.get().renew(now.plus(command.lease())), now);
      case RenewOutcome.Renewed _ -> demand(false, "a claim that does not hold was renewed");
      case OperationClaimLost lost -> {
        demand(held.isEmpty(), "the holder was not renewed");
        rejected(command.claim(), lost);
      }
    }
  }

  /** Checks that a former holder gets the current state. */
  private void rejected(OperationClaim claim, OperationClaimLost lost) {
    if (given.contains(claim)) {
      demand(lost.standing().isPresent() == last.isPresent(), "a lost claim got no current state");
      lost.standing().ifPresent(this::stands);
    }
  }

  private void stands(Operation outcome) {
    var holder = last.orElseThrow();
    demand(outcome.state() == holder.state(), "the response has another state");
    demand(outcome.replay().equals(holder.answer()), "the response has another result");
    demand(
        outcome.grant().fence().equals(holder.claim().fence()), "the response has another grant");
  }

  void resolved(ResolveOperation command, ResolveOutcome outcome, Instant now) {
    var standing = standing(now);
    if (outcome instanceof ResolveOutcome.NotFound || standing.isEmpty()) {
      demand(
          outcome instanceof ResolveOutcome.NotFound && standing.isEmpty(),
          "an operator found a missing record, or not an existing one");
      return;
    }
    var holder = standing.get();
    var order = command.request().id();
    var release = command.verdict() instanceof ResolveOperation.Verdict.Release;
    switch (outcome) {
      case ResolveOutcome.Resolved o when o.already() -> {
        demand(past.isResolvedBy(order), "already resolved, though it never was");
        stands(o.operation());
      }
      case ResolveOutcome.Resolved o -> {
        demand(!past.mustRememberResolution(order), "the same order was carried out twice");
        demand(release || holder.isOpen(), "an answer was overwritten by an operator");
        var grant = o.operation().grant();
        var claim = new OperationClaim(id, grant.nonce(), grant.fence());
        risen(claim);
        past.replaced(holder);
        past.resolved(order);
        holder.resolve(claim, now);
        carriedOut(command.verdict(), holder, now);
        stands(o.operation());
      }
      case ResolveOutcome.NotAllowed o -> {
        demand(
            !past.mustRememberResolution(order) && !release && !holder.isOpen(),
            "an operator was rejected");
        stands(o.standing());
      }
      case ResolveOutcome.NotFound _ -> {}
    }
  }

  private static void carriedOut(
      ResolveOperation.Verdict verdict, HolderModel holder, Instant now) {
    switch (verdict) {
      case ResolveOperation.Verdict.Complete v ->
          holder.become(State.COMPLETED, Optional.of(new Replay.Result(v.result(), now)), now);
      case ResolveOperation.Verdict.Reject v ->
          holder.become(State.REJECTED, Optional.of(new Replay.Failed(v.failure(), now)), now);
      case ResolveOperation.Verdict.Release _ ->
          holder.become(State.RELEASED, Optional.empty(), now);
    }
  }

  /** The record was purged. */
  void removed(Instant now) {
    demand(last.filter(holder -> holder.isForgotten(now)).isPresent(), "purged too soon");
    last = Optional.empty();
    past.forget();
  }
}
