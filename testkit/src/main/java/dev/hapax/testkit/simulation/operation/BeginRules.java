package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation.State;
import java.time.Instant;
import java.util.Optional;

/** The rules for the outcome of a Begin, given the history of its key. */
record BeginRules(OperationStory story, BeginOperation command, Instant now) {

  void check(BeginOutcome outcome) {
    var standing = story.standing(now);
    if (standing.isPresent()) {
      check(outcome, standing.get());
    } else if (outcome instanceof BeginOutcome.Acquired acquired && !acquired.reentrant()) {
      story.demand(!acquired.reclaimed(), "reclaimed without a former holder");
      story.granted(command, acquired, now);
    } else {
      story.demand(false, "the key is unused, but a Begin found a record");
    }
  }

  private void check(BeginOutcome outcome, HolderModel holder) {
    story.demand(
        holder.isForeign(command) == outcome instanceof BeginOutcome.AccountMismatch,
        "a foreign account got the result, or an entitled account did not");
    story.demand(
        holder.isForeign(command)
            || holder.isAnotherRequest(command) == outcome instanceof BeginOutcome.KeyReused,
        "different requests matched, or the same request did not");
    switch (outcome) {
      case BeginOutcome.Acquired o when o.reentrant() -> reentered(o, holder);
      case BeginOutcome.Acquired o -> replaced(o, holder);
      case BeginOutcome.InProgress o -> {
        story.demand(holder.isLive(now), "in progress, though no lease is live");
        story.demand(
            !holder.isOf(command), "in progress by another caller, though the caller holds it");
        story.demand(
            o.holder().fence().equals(holder.claim().fence()), "in progress by the wrong holder");
      }
      case BeginOutcome.Indeterminate _ -> {
        if (holder.state() != State.INDETERMINATE) {
          story.demand(holder.state() == State.IN_PROGRESS, "in doubt, though it has ended");
          story.demand(!holder.isLive(now), "in doubt, though a lease is live");
          story.demand(holder.holds(command), "in doubt, though no caller set HOLD");
          story.demand(!holder.isOf(command), "in doubt for its own holder");
          holder.lapse(now);
        }
      }
      case BeginOutcome.Replayed o ->
          story.demand(
              holder.answer().equals(Optional.of(o.replay())),
              "a replay differs from the recorded result");
      case BeginOutcome.KeyReused _, BeginOutcome.AccountMismatch _ -> {}
      case BeginOutcome.Untracked _ -> story.demand(false, "untracked, with a request id");
    }
  }

  private void reentered(BeginOutcome.Acquired outcome, HolderModel holder) {
    story.demand(holder.isOf(command), "another attempt re-entered");
    story.demand(outcome.claim().equals(holder.claim()), "re-entrance made another claim");
    story.demand(outcome.attempt() == holder.attempt(), "re-entrance made another attempt");
    story.leased(outcome.leaseRemaining(), holder.lease(now.plus(command.lease())), now);
  }

  private void replaced(BeginOutcome.Acquired outcome, HolderModel holder) {
    story.demand(!holder.isLive(now), "two live holders");
    story.demand(!holder.isOf(command), "the holder took over from itself");
    story.demand(holder.answer().isEmpty(), "granted again after it ended");
    story.demand(holder.state() != State.INDETERMINATE, "granted though it is in doubt");
    var takenOver = holder.state() == State.IN_PROGRESS;
    story.demand(!takenOver || !holder.holds(command), "HOLD, and it was taken over");
    story.demand(outcome.reclaimed() == takenOver, "reclaimed is wrong");
    story.granted(command, outcome, now);
  }
}
