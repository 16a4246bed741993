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
 * Sends a signal to whichever run owns a token.
 *
 * @param known the run that was found to own it
 */
public record SignalHook(HookId hook, NewSignal signal, Optional<RunId> known, Actor by)
    implements Command<SignalHookOutcome> {
  private static final int SIZE = 1024;

  /** The same, once the owner is known. */
  public SignalHook knowing(RunId owner) {
    return new SignalHook(hook, signal, Optional.of(owner), by);
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

  /** It moves the owner, so it meets what else moves that run. */
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
          // its signals are not locked
          new SignalHookOutcome.KnowFirst(owner.id());
      case Ownership.Owned(var own, var owner) -> signal(world, now, own, owner);
    };
  }

  private SignalHookOutcome signal(World world, Instant now, Hook own, Run owner) {
    return switch (signal.through(own.source(hook), owner.id(), by).decide(world, now)) {
      case SignalOutcome.Accepted(var run, var disposition) ->
          new SignalHookOutcome.Accepted(run, disposition);
      case SignalOutcome.Full full -> new SignalHookOutcome.Full(owner, full);
      // a payload that nobody can receive
      case SignalOutcome.RunEnded _, SignalOutcome.NotFound _ -> new SignalHookOutcome.NotFound();
    };
  }
}
