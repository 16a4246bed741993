package dev.hapax.bench.peers;

import java.util.List;
import java.util.Optional;

/**
 * All results on one PostgreSQL.
 *
 * @param name short name, used in file names
 * @param title condition of the case, such as slow commits
 */
record CaseResult(String name, String title, List<Series> all) {
  CaseResult {
    all = List.copyOf(all);
  }

  Optional<Series> of(Contestant contestant) {
    return all.stream().filter(series -> series.contestant().equals(contestant)).findFirst();
  }

  /** Returns the results of R1, the plain INSERT. */
  Series baseline() {
    return of(Contestants.INSERT).orElseThrow();
  }
}
