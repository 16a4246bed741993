package dev.hapax.domain.run;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Grants the current step of a run to a worker.
 *
 * @param queue from which the worker polls
 * @param poll hash of the attempt id of the poll; a retry of the poll gets the same grant, renewed
 * @param nonce random, for the grant
 * @param principal of the caller
 */
public record ClaimTask(
    RunId run,
    String queue,
    String worker,
    Optional<UUID> poll,
    long nonce,
    PrincipalName principal)
    implements RunCommand<ClaimTaskOutcome> {

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public ClaimTaskOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(run);
    if (found.isEmpty()) {
      return new ClaimTaskOutcome.NothingToDo(Optional.empty(), now);
    }
    var held = found.get().lastHeld().filter(last -> isOfSamePoll(last) && !last.isTimedOut(now));
    if (held.isPresent()) {
      var redelivered = found.get().deliveredAgain(held.get(), now);
      records.put(run, redelivered);
      return ClaimTaskOutcome.Claimed.of(redelivered, now);
    }
    var advanced = new RunProgression(now).advance(found.get());
    var claimed =
        isFree(advanced, now) ? Optional.of(granted(advanced, now)) : Optional.<Run>empty();
    records.put(run, claimed.orElse(advanced));
    return claimed
        .<ClaimTaskOutcome>map(granted -> ClaimTaskOutcome.Claimed.of(granted, now))
        .orElseGet(() -> new ClaimTaskOutcome.NothingToDo(Optional.of(advanced), now));
  }

  private boolean isOfSamePoll(Phase.Held held) {
    return poll.isPresent() && held.grant().poll().equals(poll);
  }

  private boolean isFree(Run advanced, Instant now) {
    return advanced.queue().filter(queue::equals).isPresent()
        && advanced.due().filter(due -> !now.isBefore(due)).isPresent();
  }

  private Run granted(Run free, Instant now) {
    var fence = free.position().fence().next(now);
    var grant = new TaskGrant(nonce, fence, worker, poll, OptionalLong.empty());
    return free.then(
        new RunChange.StepStarted(Optional.of(grant)), now, Actor.holder(grant, principal));
  }
}
