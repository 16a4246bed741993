package dev.hapax.domain.limit;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.AdvanceDueRun;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Decides a command, and if a run that it changed has then reached a limited step, admits the run
 * to the queue or lets it wait: one commit instead of two.
 *
 * @param changed the runs that an outcome has changed
 * @param step whose lines the command names; others are locked in another decision
 * @param <O> the outcome of the command
 */
public record EnterStep<O>(Command<O> command, Function<O, Stream<Run>> changed, LimitedStep step)
    implements Command<EnterStep.Entered<O>> {
  /**
   * The outcome of both decisions.
   *
   * @param outcome of the command, with the run as it was before
   * @param runs that it changed, as they are now
   */
  public record Entered<O>(O outcome, List<Run> runs) {
    public Entered {
      runs = List.copyOf(runs);
    }
  }

  /** Advances a run, of which nothing else is known. */
  public static EnterStep<Optional<Run>> of(RunId run) {
    return of(run, new LimitedStep(List.of()));
  }

  /** Lets a run go on that has reached its step. */
  public static EnterStep<Optional<Run>> of(Run run) {
    return of(run.id(), LimitedStep.of(run));
  }

  private static EnterStep<Optional<Run>> of(RunId run, LimitedStep step) {
    return new EnterStep<>(new AdvanceDueRun(run), Optional::stream, step);
  }

  /**
   * A start whose run reaches its first step at once.
   *
   * @param command that decides the start
   */
  public static EnterStep<StartOutcome> of(
      StartRun start, Command<StartOutcome> command, Function<StartOutcome, Stream<Run>> changed) {
    var parameters = start.parameters();
    return new EnterStep<>(
        command,
        changed,
        LimitedStep.of(
            start.workspace(),
            start.definition().step(0),
            parameters.input(),
            parameters.labels()));
  }

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
    return step.lines().isEmpty()
        ? command.keys()
        : union(command.keys(), Stream.concat(step.changed().stream(), step.read().stream()));
  }

  @Override
  public Collection<? extends RecordKey<?>> reads() {
    return step.lines().isEmpty() ? command.reads() : union(command.reads(), step.read().stream());
  }

  private static List<RecordKey<?>> union(
      Collection<? extends RecordKey<?>> named, Stream<RecordKey<?>> more) {
    return Stream.<RecordKey<?>>concat(named.stream(), more).toList();
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
  public Entered<O> decide(BatchRecords records, Instant now) {
    var outcome = command.decide(records, now);
    return new Entered<>(
        outcome,
        changed
            .apply(outcome)
            .map(run -> run.needsTurn(now) ? Admission.of(run, records, now).enter() : run)
            .toList());
  }

  /** As its command, so that equal simulations print the same. */
  @Override
  public String toString() {
    return command.toString();
  }
}
