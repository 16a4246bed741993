package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation.State;
import java.time.Instant;
import java.util.Optional;

/** What a Begin may be told, given its key's story so far. */
record BeginRules(OperationStory story, BeginOperation asked, Instant now) {

  void judge(BeginOutcome told) {
    var standing = story.standing(now);
    if (standing.isPresent()) {
      judge(told, standing.get());
    } else if (told instanceof BeginOutcome.Acquired acquired && !acquired.reentrant()) {
      story.demand(!acquired.reclaimed(), "reclaimed from nobody");
      story.granted(asked, acquired, now);
    } else {
      story.demand(false, "nothing is known, and a Begin was told of something");
    }
  }

  private void judge(BeginOutcome told, HolderModel tenure) {
    story.demand(
        tenure.isForeign(asked) == told instanceof BeginOutcome.AccountMismatch,
        "an account that has nothing to do with it learnt something, or one that has did not");
    story.demand(
        tenure.isForeign(asked)
            || tenure.isAnotherRequest(asked) == told instanceof BeginOutcome.KeyReused,
        "two different requests were taken for one, or one for two");
    switch (told) {
      case BeginOutcome.Acquired o when o.reentrant() -> reentered(o, tenure);
      case BeginOutcome.Acquired o -> replaced(o, tenure);
      case BeginOutcome.InProgress o -> {
        story.demand(tenure.isLive(now), "in progress, though nobody is at work");
        story.demand(!tenure.isOf(asked), "the holder was told that somebody else is at work");
        story.demand(
            o.holder().fence().equals(tenure.claim().fence()), "in progress by somebody else");
      }
      case BeginOutcome.Indeterminate _ -> {
        if (tenure.state() != State.INDETERMINATE) {
          story.demand(tenure.state() == State.IN_PROGRESS, "in doubt, though it has ended");
          story.demand(!tenure.isLive(now), "in doubt, though somebody is at work");
          story.demand(tenure.holds(asked), "in doubt, though nobody said HOLD");
          story.demand(!tenure.isOf(asked), "in doubt for its own holder");
          tenure.lapse(now);
        }
      }
      case BeginOutcome.Replayed o ->
          story.demand(
              tenure.answer().equals(Optional.of(o.replay())),
              "a replay is not the answer that was accepted");
      case BeginOutcome.KeyReused _, BeginOutcome.AccountMismatch _ -> {}
      case BeginOutcome.Untracked _ -> story.demand(false, "untracked, with a request id");
    }
  }

  private void reentered(BeginOutcome.Acquired told, HolderModel tenure) {
    story.demand(tenure.isOf(asked), "a stranger re-entered");
    story.demand(told.claim().equals(tenure.claim()), "re-entrance made another claim");
    story.demand(told.attempt() == tenure.attempt(), "re-entrance made another attempt");
    story.leased(told.leaseRemaining(), tenure.lease(now.plus(asked.lease())), now);
  }

  private void replaced(BeginOutcome.Acquired told, HolderModel tenure) {
    story.demand(!tenure.isLive(now), "two live holders");
    story.demand(!tenure.isOf(asked), "the holder took over from itself");
    story.demand(tenure.answer().isEmpty(), "granted again after it was answered");
    story.demand(tenure.state() != State.INDETERMINATE, "granted though it is in doubt");
    var takenOver = tenure.state() == State.IN_PROGRESS;
    story.demand(!takenOver || !tenure.holds(asked), "HOLD, and it was taken over");
    story.demand(told.reclaimed() == takenOver, "reclaimed is wrong");
    story.granted(asked, told, now);
  }
}
