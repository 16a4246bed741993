package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Sends a signal to the run that owns a hook token.
 *
 * @param known the run found to own the token
 */
public record SignalHook(HookId hook, NewSignal signal, Optional<RunId> known, Actor actor)
    implements Command<SignalHookOutcome> {
  private static final int SIZE = 1024;

  /** Returns the command with the owner as a known record. */
  public SignalHook knowing(RunId owner) {
    return new SignalHook(hook, signal, Optional.of(owner), actor);
  }

  @Override
  public Workspace workspace() {
    return hook.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return known
        .<Stream<RecordKey<?>>>map(
            owner -> Stream.of(hook, owner, new SignalId(owner, signal.id())))
        .orElseGet(() -> Stream.of(hook))
        .toList();
  }

  /** The command changes the owner, so it goes to the same batch as other commands of that run. */
  @Override
  public RecordKey<?> route() {
    return known.<RecordKey<?>>map(owner -> owner).orElse(hook);
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return SIZE + signal.size();
  }

  @Override
  public SignalHookOutcome decide(World world, Instant now) {
    return switch (Ownership.of(hook, known, world, now)) {
      case Ownership.Free() -> new SignalHookOutcome.NotFound();
      case Ownership.Unknown(var owner) -> new SignalHookOutcome.KnowFirst(owner);
      case Ownership.Owned(_, var owner) when !known.equals(Optional.of(owner.id())) ->
          // the record of the owner's signal is not locked yet
          new SignalHookOutcome.KnowFirst(owner.id());
      case Ownership.Owned(var own, var owner) -> signal(world, now, own, owner);
    };
  }

  private SignalHookOutcome signal(World world, Instant now, Hook own, Run owner) {
    return switch (signal.through(own.source(hook), owner.id(), actor).decide(world, now)) {
      case SignalOutcome.Accepted(var run, var disposition) ->
          new SignalHookOutcome.Accepted(run, disposition);
      case SignalOutcome.Full full -> new SignalHookOutcome.Full(owner, full);
      // an ended run cannot receive the payload
      case SignalOutcome.RunEnded _, SignalOutcome.NotFound _ -> new SignalHookOutcome.NotFound();
    };
  }
}
