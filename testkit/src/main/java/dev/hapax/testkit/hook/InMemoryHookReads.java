package dev.hapax.testkit.hook;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.hook.Hook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.hook.ReopenRunWithHooks.Held;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads tokens from the records of an in-memory ledger, where a run's news are all its events. */
public final class InMemoryHookReads implements HookReads {
  private final InMemoryLedger ledger;
  private final InstantSource clock;

  public InMemoryHookReads(InMemoryLedger ledger, InstantSource clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<Optional<Owned>> find(HookId id) {
    var records = ledger.records();
    var now = clock.instant();
    return completedFuture(
        Optional.ofNullable((Hook) records.get(id))
            .flatMap(
                hook ->
                    Optional.ofNullable((Run) records.get(hook.run()))
                        .filter(run -> hook.isOwnedBy(run, now))
                        .map(run -> new Owned(hook, run.with(List.of()), now))));
  }

  @Override
  public CompletableFuture<List<Held>> held(RunId id) {
    var held = new LinkedHashMap<HookId, Held>();
    if (ledger.records().get(id) instanceof Run run) {
      for (var event : run.newEvents()) {
        if (event.change() instanceof RunChange.HookCreated(var hash, var name, var retention, _)) {
          var hook = new HookId(id.workspace(), hash);
          held.put(hook, new Held(hook, name, retention));
        } else if (event.change() instanceof RunChange.HookDisposed(var hash, _)) {
          held.remove(new HookId(id.workspace(), hash));
        }
      }
    }
    return completedFuture(List.copyOf(held.values()));
  }
}
