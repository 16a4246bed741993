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
 * Sends a signal to the run that owns a token.
 *
 * @param likely the run that probably owns it: its records are locked from the beginning, which
 *     saves a second decision
 */
public record SignalHook(HookId hook, NewSignal signal, Optional<RunId> likely, Actor by)
    implements Command<SignalHookOutcome> {
  private static final int SIZE = 1024;

  /** The same, with this run as the likely owner. */
  public SignalHook expecting(RunId owner) {
    return new SignalHook(hook, signal, Optional.of(owner), by);
  }

  @Override
  public Workspace workspace() {
    return hook.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.concat(Stream.of(hook), likely.stream().flatMap(this::ofOwner)).toList();
  }

  private Stream<RecordKey<?>> ofOwner(RunId owner) {
    return Stream.of(owner, new SignalId(owner, signal.id()));
  }

  /** It moves the owner, so it meets what else moves that run. */
  @Override
  public RecordKey<?> route() {
    return likely.<RecordKey<?>>map(owner -> owner).orElse(hook);
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
    world.get(hook).ifPresent(found -> world.lock(ofOwner(found.run()).toList()));
    return Ownership.of(hook, world, now)
        .map(owned -> signal(world, now, owned.hook(), owned.owner()))
        .orElseGet(SignalHookOutcome.NotFound::new);
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
