package dev.hapax.application.definition;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.domain.ledger.Ledger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Definitions by name and version; each start of a run looks for one, so they are kept. */
public final class Definitions {
  /** Beyond it they are read anew: somebody makes a version for every run. */
  private static final int MAX_KEPT = 10_000;

  private record Name(Workspace workspace, String name) {}

  private final Ledger ledger;
  private final DefinitionReads reads;
  private final ConcurrentMap<DefinitionId, Definition> kept = new ConcurrentHashMap<>();
  private final ConcurrentMap<Name, Definition> latest = new ConcurrentHashMap<>();

  public Definitions(Ledger ledger, DefinitionReads reads) {
    this.ledger = ledger;
    this.reads = reads;
    ledger.onForeignCommit(latest::clear);
  }

  public CompletableFuture<RegisterOutcome> register(RegisterDefinition command) {
    var name = new Name(command.workspace(), command.id().name());
    return ledger
        .submit(command)
        .whenComplete(
            (outcome, _) -> {
              if (outcome instanceof RegisterOutcome.Registered(var definition, var already)
                  && !already) {
                var _ = keep(latest, name, Optional.of(definition));
              }
            });
  }

  /** This version; empty = the one registered last. */
  public CompletableFuture<Optional<Definition>> find(
      Workspace workspace, String name, Optional<String> version) {
    return version
        .map(v -> find(new DefinitionId(workspace, name, v)))
        .orElseGet(() -> latest(new Name(workspace, name)));
  }

  private CompletableFuture<Optional<Definition>> find(DefinitionId id) {
    var known = kept.get(id);
    return known != null
        ? CompletableFuture.completedFuture(Optional.of(known))
        : reads.find(id).thenApply(found -> keep(kept, id, found));
  }

  private CompletableFuture<Optional<Definition>> latest(Name name) {
    var known = latest.get(name);
    return known != null
        ? CompletableFuture.completedFuture(Optional.of(known))
        : reads.latest(name.workspace(), name.name()).thenApply(found -> keep(latest, name, found));
  }

  private static <K> Optional<Definition> keep(
      ConcurrentMap<K, Definition> in, K key, Optional<Definition> found) {
    if (in.size() >= MAX_KEPT) {
      in.clear();
    }
    found.ifPresent(definition -> in.merge(key, definition, Definitions::later));
    return found;
  }

  /** Of two that were read at once, whichever came last. */
  private static Definition later(Definition one, Definition other) {
    return other.registeredAt().isBefore(one.registeredAt()) ? one : other;
  }

  public CompletableFuture<Page<Definition, DefinitionReads.Position>> list(
      DefinitionReads.Query query) {
    return reads.list(query);
  }
}
