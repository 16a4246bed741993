package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Begins a sweep round of a hosted janitor, so that only one node sweeps at a time. */
public record BeginSweepRound(SweepRoundId id) implements Command<Optional<JanitorContract>> {
  private static final int SIZE = 128;

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return List.of(id, id.janitor());
  }

  @Override
  public Collection<JanitorId> reads() {
    return List.of(id.janitor());
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  /** The contract to enforce; empty = no sweep is due, or another node is sweeping. */
  @Override
  public Optional<JanitorContract> decide(BatchRecords records, Instant now) {
    var contract =
        records
            .get(id.janitor())
            .filter(
                janitor ->
                    janitor.due(records.get(id), now).filter(due -> !now.isBefore(due)).isPresent())
            .flatMap(Janitor::contract);
    contract.ifPresent(_ -> records.put(id, SweepRound.begun(records.get(id), now)));
    return contract;
  }
}
