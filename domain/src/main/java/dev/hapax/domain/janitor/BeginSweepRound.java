package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Takes the turn of a hosted janitor, so that of several nodes one sweeps. */
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

  /** What is to be kept now; empty = it is not the time, or another one is at it. */
  @Override
  public Optional<JanitorContract> decide(World world, Instant now) {
    var turn =
        world
            .get(id.janitor())
            .filter(
                janitor -> janitor.due(world.get(id)).filter(due -> !now.isBefore(due)).isPresent())
            .flatMap(Janitor::contract);
    turn.ifPresent(_ -> world.put(id, SweepRound.begun(world.get(id), now)));
    return turn;
  }
}
