package dev.hapax.domain.hook;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Frees a hook token at once, regardless of its retention.
 *
 * @param only the expected owner; empty = any
 */
public record DisposeHook(HookId hook, Optional<RunId> only, String reason, Actor actor)
    implements Command<DisposeHookOutcome> {
  private static final int SIZE = 1024;

  @Override
  public Workspace workspace() {
    return hook.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(hook);
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
  public DisposeHookOutcome decide(BatchRecords records, Instant now) {
    var found = TokenOwner.of(hook, records, now);
    if (found.isEmpty()) {
      return disposedBefore(records);
    }
    var owner = found.get().owner();
    return only.filter(run -> !run.equals(owner.id())).isPresent()
        ? new DisposeHookOutcome.Conflict(owner)
        : dispose(records, now, found.get().hook(), owner);
  }

  /** The earlier disposal, if no run has acquired the token since. */
  private DisposeHookOutcome disposedBefore(BatchRecords records) {
    return records
        .get(hook)
        .filter(last -> last.disposedAt().isPresent())
        .filter(last -> only.filter(run -> !run.equals(last.run())).isEmpty())
        .flatMap(
            last ->
                records
                    .get(last.run())
                    .<DisposeHookOutcome>map(
                        run -> new DisposeHookOutcome.Disposed(last, run, true)))
        .orElseGet(DisposeHookOutcome.NotFound::new);
  }

  private DisposeHookOutcome dispose(BatchRecords records, Instant now, Hook owned, Run owner) {
    var disposed = owned.disposed(now);
    var after = owner.withoutHook(hook.hash(), reason, now, actor);
    records.put(hook, disposed);
    records.put(owner.id(), after);
    return new DisposeHookOutcome.Disposed(disposed, after, false);
  }
}
