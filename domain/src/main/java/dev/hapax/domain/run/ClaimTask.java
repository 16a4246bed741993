package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Takes the current step of a run for a worker.
 *
 * @param queue where it was found
 * @param poll which poll asks, condensed; the same again gets the same grant, renewed
 * @param nonce drawn for the grant
 */
public record ClaimTask(RunId run, String queue, String worker, Optional<UUID> poll, long nonce)
    implements RunCommand<ClaimTaskOutcome> {

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public ClaimTaskOutcome decide(World world, Instant now) {
    var found = world.get(run);
    if (found.isEmpty()) {
      return new ClaimTaskOutcome.NothingToDo(Optional.empty(), now);
    }
    var own = found.get().held().filter(this::isOwn);
    if (own.isPresent()) {
      var again = found.get().deliveredAgain(own.get(), now);
      world.put(run, again);
      return ClaimTaskOutcome.Claimed.of(again, now);
    }
    var looked = new RunProgression(now).look(found.get());
    var claimed = isFree(looked, now) ? Optional.of(granted(looked, now)) : Optional.<Run>empty();
    world.put(run, claimed.orElse(looked));
    return claimed
        .<ClaimTaskOutcome>map(granted -> ClaimTaskOutcome.Claimed.of(granted, now))
        .orElseGet(() -> new ClaimTaskOutcome.NothingToDo(Optional.of(looked), now));
  }

  private boolean isOwn(Phase.Held held) {
    return poll.isPresent() && held.grant().poll().equals(poll);
  }

  private boolean isFree(Run looked, Instant now) {
    return looked.queue().filter(queue::equals).isPresent()
        && looked.due().filter(due -> !now.isBefore(due)).isPresent();
  }

  private Run granted(Run free, Instant now) {
    var fence = free.position().fence().next(now);
    var grant = new TaskGrant(nonce, fence, worker, poll, OptionalLong.empty());
    return free.then(new RunChange.StepStarted(Optional.of(grant)), now, Actor.holder(grant));
  }
}
