package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Delivers a buffered signal to a run that has begun to wait, or records that none matches.
 *
 * @param version of the run when its inbox was searched
 * @param found the oldest matching signal; empty = none matches
 */
public record MatchBufferedSignal(RunId run, long version, Optional<Found> found)
    implements RunCommand<Optional<Run>> {

  /** A signal with its payload. */
  public record Found(String signalId, Optional<Payload> payload) {}

  @Override
  public Collection<? extends RecordKey<?>> keys() {
    return found
        .<Collection<? extends RecordKey<?>>>map(f -> List.of(run, new SignalId(run, f.signalId())))
        .orElse(List.of(run));
  }

  @Override
  public int size() {
    return SIZE + found.flatMap(Found::payload).map(Payload::size).orElse(0);
  }

  /** The run after the decision; empty = no such run. */
  @Override
  public Optional<Run> decide(BatchRecords records, Instant now) {
    var before = records.get(run);
    if (before.isEmpty()
        || before.get().version() != version
        || !(before.get().phase() instanceof Phase.Waiting waiting && waiting.inboxUnchecked())) {
      return before;
    }
    var checked = before.get().with(waiting.inboxChecked());
    var after = found.map(f -> deliver(records, now, checked, f)).orElse(checked);
    records.put(run, after);
    return Optional.of(after);
  }

  private Run deliver(BatchRecords records, Instant now, Run checked, Found signal) {
    var after = new RunProgression(now).deliver(checked, signal.signalId(), signal.payload());
    if (after.inbox().unconsumed() < checked.inbox().unconsumed()) {
      new ConsumedSignals(run, List.of(signal.signalId())).markConsumed(records);
    }
    return after;
  }
}
