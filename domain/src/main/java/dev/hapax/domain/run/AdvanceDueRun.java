package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.time.Instant;
import java.util.Optional;

/** Does what is due: takes back a lease, ends a wait, enters a step that needs no worker. */
public record AdvanceDueRun(RunId run) implements RunCommand<Optional<Run>> {

  /** The run as it is; empty = there is none. */
  @Override
  public Optional<Run> decide(World world, Instant now) {
    var looked = world.get(run).map(found -> new RunProgression(now).look(found));
    looked.ifPresent(after -> world.put(run, after));
    return looked;
  }
}
