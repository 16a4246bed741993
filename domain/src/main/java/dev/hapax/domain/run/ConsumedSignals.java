package dev.hapax.domain.run;

import dev.hapax.domain.ledger.BatchRecords;
import java.util.List;
import java.util.Optional;

/** The signals that a completion consumes; consuming one twice is allowed. */
record ConsumedSignals(RunId run, List<String> ids) {

  List<SignalId> keys() {
    return ids.stream().map(id -> new SignalId(run, id)).toList();
  }

  /** The first id that the run never received. */
  Optional<String> findUnknown(BatchRecords records) {
    return ids.stream().filter(id -> records.get(new SignalId(run, id)).isEmpty()).findFirst();
  }

  /** The ids that were not consumed before. */
  List<String> newlyConsumed(BatchRecords records) {
    return ids.stream()
        .filter(id -> records.get(new SignalId(run, id)).filter(s -> !s.consumed()).isPresent())
        .toList();
  }

  /** Those of the ids that are not among these. */
  List<String> others(List<String> of) {
    return of.stream().filter(id -> !ids.contains(id)).toList();
  }

  void markConsumed(BatchRecords records) {
    keys().forEach(key -> records.put(key, records.get(key).orElseThrow().asConsumed()));
  }
}
