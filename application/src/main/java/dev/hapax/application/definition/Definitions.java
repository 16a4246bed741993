package dev.hapax.application.definition;

import dev.hapax.domain.Page;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.domain.ledger.Ledger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Registers and reads definitions, cached because each start of a run needs one. */
public final class Definitions {
  /** The cache is cleared at this size, because some callers register a version for every run. */
  private static final int MAX_KEPT = 10_000;

  private final Ledger ledger;
  private final DefinitionReads reads;
  private final ConcurrentMap<DefinitionId, Definition> kept = new ConcurrentHashMap<>();
  private final ConcurrentMap<DefinitionName, Definition> guesses = new ConcurrentHashMap<>();

  public Definitions(Ledger ledger, DefinitionReads reads) {
    this.ledger = ledger;
    this.reads = reads;
  }

  public CompletableFuture<RegisterOutcome> register(RegisterDefinition command) {
    return ledger
        .submit(command)
        .whenComplete(
            (outcome, _) -> {
              if (outcome instanceof RegisterOutcome.Registered(var definition, var already)
                  && !already) {
                keep(guesses, command.id().withoutVersion(), definition);
              }
            });
  }

  /** Finds a version of a definition. */
  public CompletableFuture<Optional<Definition>> find(DefinitionId id) {
    var known = kept.get(id);
    return known != null
        ? CompletableFuture.completedFuture(Optional.of(known))
        : reads.find(id).thenApply(found -> kept(kept, id, found));
  }

  /** Finds the latest version. */
  public CompletableFuture<Optional<Definition>> latest(DefinitionName name) {
    return reads
        .latest(name.workspace(), name.name())
        .thenApply(found -> kept(guesses, name, found));
  }

  /**
   * Finds a version, or the latest that this node knows. Another node may have registered a later
   * one, so the command that uses it has to check, and its caller to correct it.
   *
   * @param version empty = the latest
   */
  public CompletableFuture<Optional<Definition>> guess(
      DefinitionName name, Optional<String> version) {
    return version.map(named -> find(name.version(named))).orElseGet(() -> guessLatest(name));
  }

  private CompletableFuture<Optional<Definition>> guessLatest(DefinitionName name) {
    var known = guesses.get(name);
    return known != null ? CompletableFuture.completedFuture(Optional.of(known)) : latest(name);
  }

  /**
   * Corrects a wrong guess of the latest version.
   *
   * @param latest the latest version; empty = no version of this name exists
   */
  public CompletableFuture<Optional<Definition>> correctLatest(
      DefinitionName name, Optional<DefinitionId> latest) {
    guesses.remove(name);
    return latest
        .map(id -> find(id).thenApply(found -> kept(guesses, name, found)))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
  }

  private static <K> Optional<Definition> kept(
      ConcurrentMap<K, Definition> in, K key, Optional<Definition> found) {
    found.ifPresent(definition -> keep(in, key, definition));
    return found;
  }

  private static <K> void keep(ConcurrentMap<K, Definition> in, K key, Definition definition) {
    if (in.size() >= MAX_KEPT) {
      in.clear();
    }
    in.put(key, definition);
  }

  public CompletableFuture<Page<Definition, DefinitionReads.Position>> list(
      DefinitionReads.Query query) {
    return reads.list(query);
  }
}
