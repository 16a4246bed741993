package dev.hapax.testkit.janitor;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.Round;
import dev.hapax.domain.janitor.RoundId;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Looks for janitors in the records of an in-memory ledger. */
public final class InMemoryJanitorReads implements JanitorReads {
  private final InMemoryLedger ledger;
  private final InstantSource clock;

  public InMemoryJanitorReads(InMemoryLedger ledger, InstantSource clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<Optional<Janitor>> find(JanitorId id) {
    return completedFuture(Optional.ofNullable((Janitor) ledger.records().get(id)));
  }

  @Override
  public CompletableFuture<List<Watched>> list(Optional<Workspace> workspace) {
    var records = ledger.records();
    var now = clock.instant();
    return completedFuture(
        records.keySet().stream()
            .filter(JanitorId.class::isInstance)
            .map(JanitorId.class::cast)
            .filter(id -> workspace.isEmpty() || id.workspace().equals(workspace.get()))
            .sorted(Comparator.comparing(JanitorId::workspace).thenComparing(JanitorId::module))
            .map(
                id ->
                    new Watched(
                        id,
                        Objects.requireNonNull((Janitor) records.get(id)),
                        Optional.ofNullable((Round) records.get(new RoundId(id))),
                        now))
            .toList());
  }
}
