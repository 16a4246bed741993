package dev.hapax.domain.run;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Decides a command, and if a run that it changed then has a task ready, grants the task to a
 * worker that waits for it: one commit instead of two.
 *
 * @param changed the runs that an outcome has changed
 * @param <O> the outcome of the command
 */
public record GrantReadyTask<O>(
    Command<O> command, Function<O, Stream<Run>> changed, WaitingWorkers workers)
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
  public Collection<? extends RecordKey<?>> newKeys() {
    return command.newKeys();
  }

  @Override
  public Collection<? extends RecordKey<?>> idempotencyKeys() {
    return command.idempotencyKeys();
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
  public Decided<O> decide(BatchRecords records, Instant now) {
    var outcome = command.decide(records, now);
    var task =
        changed
            .apply(outcome)
            .filter(run -> run.due().filter(due -> !now.isBefore(due)).isPresent())
            .flatMap(run -> run.queue().flatMap(queue -> grant(records, now, run, queue)).stream())
            .findFirst();
    return new Decided<>(outcome, task, now);
  }

  /** As its command, so that equal simulations print the same. */
  @Override
  public String toString() {
    return command.toString();
  }

  private Optional<Claimed> grant(BatchRecords records, Instant now, Run run, String queue) {
    return workers
        .reserve(queue, now)
        .map(
            to ->
                new ClaimTask(run.id(), queue, to.worker(), to.poll(), to.nonce(), to.principal()))
        .flatMap(
            claim ->
                claim.decide(records, now) instanceof Claimed claimed
                    ? Optional.of(claimed)
                    : Optional.empty());
  }
}
