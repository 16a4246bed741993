package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.util.List;
import java.util.Optional;

/** The signals that a completion consumes; consuming one twice is allowed. */
record ConsumedSignals(RunId run, List<String> ids) {

  List<SignalId> keys() {
    return ids.stream().map(id -> new SignalId(run, id)).toList();
  }

  /** The first id that the run never received. */
  Optional<String> findUnknown(World world) {
    return ids.stream().filter(id -> world.get(new SignalId(run, id)).isEmpty()).findFirst();
  }

  /** The ids that were not consumed before. */
  List<String> newlyConsumed(World world) {
    return ids.stream()
        .filter(id -> world.get(new SignalId(run, id)).filter(s -> !s.consumed()).isPresent())
        .toList();
  }

  void markConsumed(World world) {
    keys().forEach(key -> world.put(key, world.get(key).orElseThrow().asConsumed()));
  }
}
