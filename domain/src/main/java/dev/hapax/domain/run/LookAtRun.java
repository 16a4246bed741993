package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Optional;

/** Does what is due: takes back a lease, ends a wait, enters a step that needs no worker. */
public record LookAtRun(RunId run) implements RunCommand<LookAtRun.Seen> {

  /**
   * What was seen.
   *
   * @param run as it is; empty = there is none
   * @param now by the database's clock, which alone says what is due
   */
  public record Seen(Optional<Run> run, Instant now) {}

  @Override
  public Seen decide(World world, Instant now) {
    var looked = world.get(run).map(found -> new Onward(now).look(found));
    looked.ifPresent(after -> world.put(run, after));
    return new Seen(looked, now);
  }
}
