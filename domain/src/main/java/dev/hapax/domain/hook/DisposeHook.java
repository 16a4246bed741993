package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Frees a hook token at once, regardless of its retention.
 *
 * @param only only if this run owns it; empty = any owner
 * @param known the run found to own the token
 */
public record DisposeHook(HookId hook, Optional<RunId> only, Optional<RunId> known, Actor actor)
    implements Command<DisposeHookOutcome> {
  private static final int SIZE = 1024;

  /** Returns the command with the owner as a known record. */
  public DisposeHook knowing(RunId owner) {
    return new DisposeHook(hook, only, Optional.of(owner), actor);
  }

  @Override
  public Workspace workspace() {
    return hook.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return Stream.concat(Stream.of(hook), known.stream()).<RecordKey<?>>map(key -> key).toList();
  }

  /** Concurrent commands for one token go to the same batch. */
  @Override
  public HookId route() {
    return hook;
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public DisposeHookOutcome decide(World world, Instant now) {
    return switch (Ownership.of(hook, known, world, now)) {
      case Ownership.Unknown(var owner) -> new DisposeHookOutcome.KnowFirst(owner);
      case Ownership.Free() -> disposedBefore(world);
      case Ownership.Owned(_, var owner)
          when only.filter(run -> !run.equals(owner.id())).isPresent() ->
          new DisposeHookOutcome.Conflict(owner);
      case Ownership.Owned(var owned, var owner) -> dispose(world, now, owned, owner);
    };
  }

  /** The earlier disposal, if no run has acquired the token since. */
  private DisposeHookOutcome disposedBefore(World world) {
    return world
        .get(hook)
        .filter(last -> last.disposedAt().isPresent())
        .filter(last -> only.filter(run -> !run.equals(last.run())).isEmpty())
        .flatMap(
            last ->
                world
                    .get(last.run())
                    .<DisposeHookOutcome>map(run -> new DisposeHookOutcome.Disposed(last, run)))
        .orElseGet(DisposeHookOutcome.NotFound::new);
  }

  private DisposeHookOutcome dispose(World world, Instant now, Hook owned, Run owner) {
    var disposed = owned.disposed(now);
    var after = owner.withoutHook(hook.hash(), now, actor);
    world.put(hook, disposed);
    world.put(owner.id(), after);
    return new DisposeHookOutcome.Disposed(disposed, after);
  }
}
