package dev.hapax.testkit.lifecycle;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.read.InMemoryNamePages;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads lifecycles from the records of an in-memory ledger. */
public final class InMemoryLifecycleReads implements LifecycleReads {
  private final Supplier<Map<RecordKey<?>, Object>> records;

  public InMemoryLifecycleReads(InMemoryLedger ledger) {
    this(ledger::records);
  }

  /** Reads these records as they are at each call. */
  public InMemoryLifecycleReads(Supplier<Map<RecordKey<?>, Object>> records) {
    this.records = records;
  }

  @Override
  public CompletableFuture<Optional<AppliedLifecycle>> find(LifecycleId id) {
    return completedFuture(Optional.ofNullable((AppliedLifecycle) records.get().get(id)));
  }

  @Override
  public CompletableFuture<Optional<Lifecycle>> version(LifecycleVersionId id) {
    return completedFuture(Optional.ofNullable((Lifecycle) records.get().get(id)));
  }

  @Override
  public CompletableFuture<Page<AppliedLifecycle, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    var all = records.get();
    return completedFuture(
        InMemoryNamePages.page(
            ids(all, workspace)
                .map(id -> Objects.requireNonNull((AppliedLifecycle) all.get(id)))
                .toList(),
            applied -> applied.lifecycle().name(),
            size,
            after));
  }

  @Override
  public CompletableFuture<Integer> count(Workspace workspace) {
    return completedFuture((int) ids(records.get(), workspace).count());
  }

  private static Stream<LifecycleId> ids(Map<RecordKey<?>, Object> all, Workspace workspace) {
    return all.keySet().stream()
        .filter(LifecycleId.class::isInstance)
        .map(LifecycleId.class::cast)
        .filter(id -> id.workspace().equals(workspace));
  }
}
