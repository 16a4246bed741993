package dev.hapax.domain.janitor;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * Keeps when a janitor looked, by the database's time: a hosted one swept, a remote one polled.
 *
 * @param freed how many claims it took back by this look
 */
public record RecordRound(RoundId id, int freed, boolean complete) implements Command<Round> {
  private static final int SIZE = 128;

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<RoundId> keys() {
    return List.of(id);
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public Round decide(World world, Instant now) {
    var round = Round.looked(world.get(id), freed, complete, now);
    world.put(id, round);
    return round;
  }
}
