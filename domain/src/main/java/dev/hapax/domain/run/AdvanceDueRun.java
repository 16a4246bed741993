package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;

/** Advances a due run: expires a lease, ends a wait, or enters a step that needs no worker. */
public record AdvanceDueRun(RunId run) implements RunCommand<Optional<Run>> {

  /** The run after the decision; empty = no such run. */
  @Override
  public Optional<Run> decide(BatchRecords records, Instant now) {
    var advanced = records.get(run).map(found -> new RunProgression(now).advance(found));
    advanced.ifPresent(after -> records.put(run, after));
    return advanced;
  }
}
