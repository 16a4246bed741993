package dev.hapax.domain.ledger;

import java.util.Optional;
import java.util.function.Function;

/** A record of which parts no longer count once other records have changed. */
public interface JoinedRecord {
  /** This record without those parts, as a ledger that stores all of them has to load it. */
  Object joined(RecordKey<?> key, Function<RecordKey<?>, Optional<Object>> records);
}
