package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keeps when a hosted janitor swept or a remote one polled, by the database's clock.
 *
 * @param by the mode of the sweep or poll; one of a mode that the janitor has left is not kept,
 *     since it would delay the next one
 * @param freed how many claims it took back
 */
public record RecordSweepRound(SweepRoundId id, JanitorMode by, int freed, boolean complete)
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

  /** What is kept now; empty = the janitor is not in this mode. */
  @Override
  public Optional<SweepRound> decide(World world, Instant now) {
    var round =
        world
            .get(id.janitor())
            .filter(janitor -> janitor.isIn(by))
            .map(_ -> SweepRound.looked(world.get(id), freed, complete, now));
    round.ifPresent(kept -> world.put(id, kept));
    return round;
  }
}
