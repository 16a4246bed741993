package dev.hapax.domain.run;

import dev.hapax.domain.ledger.World;
import java.util.List;
import java.util.Optional;

/** Signals a completion says it has used up; again is fine. */
record ConsumedSignals(RunId run, List<String> ids) {

  List<SignalId> keys() {
    return ids.stream().map(id -> new SignalId(run, id)).toList();
  }

  /** One that the run never received. */
  Optional<String> unknown(World world) {
    return ids.stream().filter(id -> world.get(new SignalId(run, id)).isEmpty()).findFirst();
  }

  /** Those that are used up only now. */
  List<String> fresh(World world) {
    return ids.stream()
        .filter(id -> world.get(new SignalId(run, id)).filter(s -> !s.consumed()).isPresent())
        .toList();
  }

  void keep(World world) {
    keys().forEach(key -> world.put(key, world.get(key).orElseThrow().used()));
  }
}
