package dev.hapax.bench;

import java.util.List;
import java.util.Optional;

/**
 * All that was measured on one PostgreSQL.
 *
 * @param name of the case, as in file names
 * @param title what is special about it
 */
record CaseResult(String name, String title, List<Series> all) {
  CaseResult {
    all = List.copyOf(all);
  }

  Optional<Series> of(Contestant contestant) {
    return all.stream().filter(series -> series.contestant().equals(contestant)).findFirst();
  }

  /** R1 of this case. */
  Series baseline() {
    return of(Contestants.INSERT).orElseThrow();
  }
}
