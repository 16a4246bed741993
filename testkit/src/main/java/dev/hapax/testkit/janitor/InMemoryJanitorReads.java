package dev.hapax.testkit.janitor;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.read.InMemoryNamePages;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads janitors from the records of an in-memory ledger. */
public final class InMemoryJanitorReads implements JanitorReads {
  private final Supplier<Map<RecordKey<?>, Object>> records;
  private final InstantSource clock;

  public InMemoryJanitorReads(InMemoryLedger ledger, InstantSource clock) {
    this(ledger::records, clock);
  }

  /** Reads these records as they are at each call. */
  public InMemoryJanitorReads(Supplier<Map<RecordKey<?>, Object>> records, InstantSource clock) {
    this.records = records;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<Optional<Janitor>> find(JanitorId id) {
    return completedFuture(Optional.ofNullable((Janitor) records.get().get(id)));
  }

  @Override
  public CompletableFuture<Page<JanitorStatus, String>> list(
      Workspace workspace, int size, Optional<String> after) {
    return list()
        .thenApply(
            all ->
                InMemoryNamePages.page(
                    all.stream()
                        .filter(watched -> watched.id().workspace().equals(workspace))
                        .toList(),
                    watched -> watched.id().module(),
                    size,
                    after));
  }

  @Override
  public CompletableFuture<Integer> count(Workspace workspace) {
    return completedFuture(
        (int) ids(records.get()).filter(id -> id.workspace().equals(workspace)).count());
  }

  private static Stream<JanitorId> ids(Map<RecordKey<?>, Object> all) {
    return all.keySet().stream().filter(JanitorId.class::isInstance).map(JanitorId.class::cast);
  }

  @Override
  public CompletableFuture<List<JanitorStatus>> list() {
    var all = records.get();
    var now = clock.instant();
    return completedFuture(
        ids(all)
            .sorted(Comparator.comparing(JanitorId::workspace).thenComparing(JanitorId::module))
            .map(
                id ->
                    new JanitorStatus(
                        id,
                        Objects.requireNonNull((Janitor) all.get(id)),
                        Optional.ofNullable((SweepRound) all.get(new SweepRoundId(id))),
                        now))
            .toList());
  }
}
