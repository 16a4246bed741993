package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Records the sweep of a hosted janitor or the poll of a remote one, by the database's clock.
 *
 * @param mode the mode of the sweep or poll; it is ignored if the janitor has changed its mode,
 *     because it would delay the next one
 * @param freed the number of claims it freed
 */
public record RecordSweepRound(SweepRoundId id, JanitorMode mode, int freed, boolean complete)
    implements Command<Optional<SweepRound>> {
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

  /** The recorded round; empty = the janitor is not in this mode. */
  @Override
  public Optional<SweepRound> decide(BatchRecords records, Instant now) {
    var round =
        records
            .get(id.janitor())
            .filter(janitor -> janitor.isIn(mode))
            .map(_ -> SweepRound.swept(records.get(id), freed, complete, now));
    round.ifPresent(kept -> records.put(id, kept));
    return round;
  }
}
