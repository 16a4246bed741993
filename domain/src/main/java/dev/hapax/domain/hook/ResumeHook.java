package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.By;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalId;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.StartRun.FirstSignal;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Sends a signal to whichever run owns a token.
 *
 * @param known the run that was found to own it
 */
public record ResumeHook(HookId hook, FirstSignal signal, Optional<RunId> known, By by)
    implements Command<ResumeHookOutcome> {
  private static final int SIZE = 1024;

  /** The same, once the owner is known. */
  public ResumeHook knowing(RunId owner) {
    return new ResumeHook(hook, signal, Optional.of(owner), by);
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
    return SIZE + signal.payload().map(payload -> payload.size()).orElse(0);
  }

  @Override
  public ResumeHookOutcome decide(World world, Instant now) {
    return switch (Ownership.of(hook, known, world, now)) {
      case Ownership.Free() -> new ResumeHookOutcome.NotFound();
      case Ownership.Unknown(var owner) -> new ResumeHookOutcome.KnowFirst(owner);
      case Ownership.Owned(_, var owner) when !known.equals(Optional.of(owner.id())) ->
          // its signals are not locked
          new ResumeHookOutcome.KnowFirst(owner.id());
      case Ownership.Owned(_, var owner) -> resume(world, now, owner);
    };
  }

  private ResumeHookOutcome resume(World world, Instant now, Run owner) {
    return switch (signal.to(owner.id(), by).decide(world, now)) {
      case SignalOutcome.Received(var run, var delivered) ->
          new ResumeHookOutcome.Received(run, delivered);
      case SignalOutcome.Duplicate() -> new ResumeHookOutcome.Duplicate(owner);
      case SignalOutcome.Full full -> new ResumeHookOutcome.Full(owner, full);
      // a payload that nobody can receive
      case SignalOutcome.RunEnded _, SignalOutcome.NotFound _ -> new ResumeHookOutcome.NotFound();
    };
  }
}
