package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;

/** Sees all that happens, in order, and complains in the {@link Trace}. */
public interface HistoryObserver {
  /** A command was decided and committed, whether or not anybody is told. */
  void decided(Command<?> command, Object outcome, Instant now);

  /** A record was cleaned away. */
  void removed(RecordKey<?> key, Instant now);

  /** Nothing goes wrong any more, since {@code since}. */
  void calm(Instant since, Instant now);

  /** A command or an outcome, for the trace. */
  String describe(Object what);
}
