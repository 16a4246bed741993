package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Sends a signal to the run that owns a token, or else to the first one that waits for it.
 *
 * @param likely the likely owner: its records are locked in the first decision, which saves a
 *     second one
 */
public record SignalHook(HookId hook, NewSignal signal, Optional<RunId> likely, Actor actor)
    implements Command<SignalHookOutcome> {
  private static final int SIZE = 1024;

  /** Returns the command with this run as the likely owner. */
  public SignalHook expecting(RunId owner) {
    return new SignalHook(hook, signal, Optional.of(owner), actor);
  }

  @Override
  public Workspace workspace() {
    return hook.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.concat(Stream.of(hook), likely.stream().flatMap(owner -> needed(owner).stream()))
        .toList();
  }

  private List<RecordKey<?>> needed(RunId owner) {
    return List.of(owner, new SignalId(owner, signal.id()));
  }

  /** The likely owner, so that the command goes to the batch of that run; otherwise the token. */
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
  public SignalHookOutcome decide(BatchRecords records, Instant now) {
    return TokenOwner.orFirst(hook, this::needed, records, now)
        .map(owned -> signal(records, now, owned.hook(), owned.owner()))
        .orElseGet(SignalHookOutcome.NotFound::new);
  }

  private SignalHookOutcome signal(BatchRecords records, Instant now, Hook own, Run owner) {
    return switch (signal.through(own.source(hook), owner.id(), actor).decide(records, now)) {
      case SignalOutcome.Accepted(var run, var disposition) ->
          new SignalHookOutcome.Accepted(run, disposition);
      case SignalOutcome.Full full -> new SignalHookOutcome.Full(owner, full);
      // an ended run cannot receive the payload
      case SignalOutcome.RunEnded _, SignalOutcome.NotFound _ -> new SignalHookOutcome.NotFound();
    };
  }
}
