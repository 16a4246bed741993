package dev.hapax.domain.intent;

import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.CompleteHeldAction;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.hook.SignalHookOutcome;
import dev.hapax.domain.intent.IntentDecision.Decided;
import dev.hapax.domain.intent.IntentDecision.Full;
import dev.hapax.domain.intent.IntentOutcome.Failed;
import dev.hapax.domain.intent.IntentOutcome.StartDisposition;
import dev.hapax.domain.intent.IntentOutcome.Started;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.PartsRefused;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.SignalRun;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.TaskLost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The command of the rpc that an intent stands for. */
public sealed interface IntentCommand {
  /** The command; empty = none, the intent fails. */
  Optional<? extends Command<?>> command();

  /** Decides it. */
  IntentDecision decide(BatchRecords records, Instant now);

  default Collection<? extends RecordKey<?>> keys() {
    return command().<Collection<? extends RecordKey<?>>>map(Command::keys).orElse(List.of());
  }

  default Collection<? extends RecordKey<?>> reads() {
    return command().<Collection<? extends RecordKey<?>>>map(Command::reads).orElse(List.of());
  }

  default Optional<Object> route() {
    return command().map(Command::route);
  }

  default int size() {
    return command().map(Command::size).orElse(0);
  }

  /** How urgent it is to take the intent. */
  default Command.Urgency urgency() {
    return Command.Urgency.START;
  }

  /**
   * Starts a run.
   *
   * @param start a {@code StartRun}, or one that gives the run a token as well
   */
  record Start(Command<StartOutcome> start) implements IntentCommand {
    @Override
    public Optional<Command<StartOutcome>> command() {
      return Optional.of(start);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (start.decide(records, now)) {
        case StartOutcome.Created(var run) ->
            replacing(StartDisposition.CREATED, run, Optional.empty(), List.of());
        case StartOutcome.Restarted(var run, var from) ->
            replacing(StartDisposition.CREATED, run, Optional.empty(), List.of(from));
        case StartOutcome.Existing(var run) ->
            Decided.of(Started.of(StartDisposition.EXISTING, run));
        case StartOutcome.KeyReused(var run, _) ->
            Decided.of(Failed.of(IntentError.IDEMPOTENCY_KEY_REUSED, run, ""));
        case StartOutcome.Rejected(var owner) ->
            Decided.of(
                new Started(
                    StartDisposition.REJECTED,
                    Optional.empty(),
                    Optional.of(owner.id()),
                    Optional.empty()));
        case StartOutcome.UsedExisting(var owner) ->
            Decided.of(
                new Started(
                    StartDisposition.USED_EXISTING,
                    Optional.of(owner.id()),
                    Optional.of(owner.id()),
                    Optional.empty()));
        case StartOutcome.Signalled(var owner, var disposition) ->
            Decided.of(
                new Started(
                    StartDisposition.SIGNALED,
                    Optional.of(owner.id()),
                    Optional.of(owner.id()),
                    Optional.of(disposition)),
                owner);
        case StartOutcome.SignalRefused(var owner, var full) -> refused(owner.id(), full);
        case StartOutcome.Superseded(var run, var from) ->
            replacing(StartDisposition.SUPERSEDED, run, Optional.of(from.getFirst().id()), from);
        case StartOutcome.Queued(var run, _, var instead) ->
            replacing(StartDisposition.QUEUED, run, Optional.empty(), instead);
        case StartOutcome.DefinitionOutdated(var latest) -> new IntentDecision.Outdated(latest);
      };
    }

    private static Decided replacing(
        StartDisposition disposition, Run run, Optional<RunId> owner, List<Run> replaced) {
      var changed = new ArrayList<>(replaced);
      changed.add(run);
      return new Decided(
          new Started(disposition, Optional.of(run.id()), owner, StartOutcome.signalTo(run)),
          changed);
    }
  }

  /** Sends a signal to a run. */
  record SignalTo(SignalRun signal) implements IntentCommand {
    @Override
    public Optional<SignalRun> command() {
      return Optional.of(signal);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (signal.decide(records, now)) {
        case SignalOutcome.Accepted(var run, var disposition) ->
            Decided.of(new IntentOutcome.Signaled(run.id(), disposition), run);
        case SignalOutcome.NotFound _ ->
            Decided.of(Failed.of(IntentError.RUN_NOT_FOUND, signal.run(), ""));
        case SignalOutcome.RunEnded(var status) ->
            Decided.of(Failed.of(IntentError.RUN_ENDED, signal.run(), status.name()));
        case SignalOutcome.Full full -> refused(signal.run(), full);
      };
    }
  }

  /** Sends a signal to the owner of a token. */
  record SignalThrough(SignalHook signal) implements IntentCommand {
    @Override
    public Optional<SignalHook> command() {
      return Optional.of(signal);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (signal.decide(records, now)) {
        case SignalHookOutcome.Accepted(var owner, var disposition) ->
            Decided.of(new IntentOutcome.Signaled(owner.id(), disposition), owner);
        case SignalHookOutcome.NotFound _ -> Decided.of(Failed.of(IntentError.HOOK_NOT_FOUND));
        case SignalHookOutcome.Full(var owner, var full) -> refused(owner.id(), full);
      };
    }
  }

  /** Cancels a run. */
  record Cancel(ControlRun cancel) implements IntentCommand {
    @Override
    public Optional<ControlRun> command() {
      return Optional.of(cancel);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (cancel.decide(records, now)) {
        case ControlOutcome.Applied(var run, _) ->
            Decided.of(new IntentOutcome.Cancelled(run.id()), run);
        case ControlOutcome.NotFound _ ->
            Decided.of(Failed.of(IntentError.RUN_NOT_FOUND, cancel.run(), ""));
        case ControlOutcome.NotAllowed(var run) ->
            Decided.of(Failed.of(IntentError.ILLEGAL_TRANSITION, run.id(), run.status().name()));
        case ControlOutcome.Moved _ ->
            throw new IllegalStateException("the command expects no version");
        case ControlOutcome.NotSettleable _, ControlOutcome.StateTooLarge _ ->
            throw new IllegalStateException("the command settles nothing");
      };
    }
  }

  /** Completes a record, which other commands wait for. */
  sealed interface Completion extends IntentCommand {
    @Override
    default Command.Urgency urgency() {
      return Command.Urgency.FINISH;
    }
  }

  /** Completes an action. */
  record ActionCompletion(CompleteHeldAction complete) implements Completion {
    @Override
    public Optional<CompleteHeldAction> command() {
      return Optional.of(complete);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (complete.decide(records, now)) {
        case CompleteActionOutcome.Completed(_, var effect, _) -> completed(effect);
        case CompleteActionOutcome.Changing _, ActionClaimLost _ -> unexpectedlyLost();
      };
    }
  }

  /** Completes the step of a run. */
  record TaskCompletion(CompleteTask complete) implements Completion {
    @Override
    public Optional<CompleteTask> command() {
      return Optional.of(complete);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (complete.decide(records, now)) {
        case CompleteTaskOutcome.Completed(var run, _, _) -> completed(Optional.of(run));
        case CompleteTaskOutcome.NoSuchSignal _,
            CompleteTaskOutcome.StateTooLarge _,
            PartsRefused _,
            TaskLost _ ->
            unexpectedlyLost();
      };
    }
  }

  /** Completes an operation. */
  record OperationCompletion(CompleteOperation complete) implements Completion {
    @Override
    public Optional<CompleteOperation> command() {
      return Optional.of(complete);
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return switch (complete.decide(records, now)) {
        case CompleteOutcome.Completed _ -> completed(Optional.empty());
        case OperationClaimLost _ -> unexpectedlyLost();
      };
    }
  }

  /** Fails the intent without a command. */
  record Fail(IntentError error, String detail) implements IntentCommand {
    @Override
    public Optional<Command<?>> command() {
      return Optional.empty();
    }

    @Override
    public IntentDecision decide(BatchRecords records, Instant now) {
      return Decided.of(new Failed(error, Optional.empty(), detail));
    }
  }

  private static IntentDecision completed(Optional<Run> run) {
    return new Decided(new IntentOutcome.Completed(run.map(Run::id)), run.stream().toList());
  }

  /** The claim was valid when the intent became pending, and nothing can have changed since. */
  private static IntentDecision unexpectedlyLost() {
    return Decided.of(
        new Failed(IntentError.INTERNAL, Optional.empty(), "the claim was lost unexpectedly"));
  }

  private static IntentDecision refused(RunId run, SignalOutcome.Full full) {
    // an inbox gets room again, a history never does
    return full.inbox() ? new Full(run) : Decided.of(Failed.of(IntentError.EVENT_LIMIT, run, ""));
  }
}
