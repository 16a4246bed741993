package dev.hapax.domain.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * Decides a command and, if its run then has a ready task, grants the task to a polling worker: one
 * commit instead of two.
 *
 * @param run the run that the command may change; among its keys
 * @param <O> the outcome of the command
 */
public record GrantReadyTask<O>(Command<O> command, RunId run, WaitingWorkers workers)
    implements Command<GrantReadyTask.Decided<O>> {
  /**
   * The outcome of both decisions.
   *
   * @param outcome of the command, with the run as it was before the grant
   * @param task empty = no task is ready, or no worker polls for it
   * @param now by the database's clock
   */
  public record Decided<O>(O outcome, Optional<Claimed> task, Instant now) {}

  @Override
  public String commandName() {
    return command.commandName();
  }

  @Override
  public Workspace workspace() {
    return command.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return command.keys();
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return command.reads();
  }

  @Override
  public Object route() {
    return command.route();
  }

  @Override
  public Urgency urgency() {
    return command.urgency();
  }

  @Override
  public int size() {
    return command.size();
  }

  @Override
  public Decided<O> decide(World world, Instant now) {
    var outcome = command.decide(world, now);
    var task =
        world
            .get(run)
            .filter(after -> after.due().filter(due -> !now.isBefore(due)).isPresent())
            .flatMap(Run::queue)
            .flatMap(queue -> grant(world, now, queue));
    return new Decided<>(outcome, task, now);
  }

  private Optional<Claimed> grant(World world, Instant now, String queue) {
    return workers
        .reserve(queue, now)
        .map(to -> new ClaimTask(run, queue, to.worker(), to.poll(), to.nonce()))
        .flatMap(
            claim ->
                claim.decide(world, now) instanceof Claimed claimed
                    ? Optional.of(claimed)
                    : Optional.empty());
  }
}
