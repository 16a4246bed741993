package dev.hapax.testkit.lifecycle;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks for lifecycles in the records of an in-memory ledger. */
public final class InMemoryLifecycleReads implements LifecycleReads {
  private final InMemoryLedger ledger;

  public InMemoryLifecycleReads(InMemoryLedger ledger) {
    this.ledger = ledger;
  }

  @Override
  public CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id) {
    return completedFuture(Optional.ofNullable((AppliedLifecycle) ledger.records().get(id)));
  }

  @Override
  public CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id) {
    return completedFuture(Optional.ofNullable((Lifecycle) ledger.records().get(id)));
  }

  @Override
  public CompletableFuture<List<AppliedLifecycle>> list(Optional<Workspace> workspace) {
    var records = ledger.records();
    return completedFuture(
        records.keySet().stream()
            .filter(LifecycleId.class::isInstance)
            .map(LifecycleId.class::cast)
            .filter(id -> workspace.isEmpty() || id.workspace().equals(workspace.get()))
            .sorted(Comparator.comparing(LifecycleId::workspace).thenComparing(LifecycleId::name))
            .map(id -> Objects.requireNonNull((AppliedLifecycle) records.get(id)))
            .toList());
  }
}
