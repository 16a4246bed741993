package dev.hapax.testkit.simulation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;

/** Observes all events of a simulation in order, and reports violations to the {@link Trace}. */
public interface HistoryObserver {
  /** Called after a command is decided and committed, whether or not its response arrives. */
  void decided(Command<?> command, Object outcome, Instant now);

  /** Called after a record is purged. */
  void removed(RecordKey<?> key, Instant now);

  /** Called in each step without faults, which ended at {@code since}. */
  void withoutFaults(Instant since, Instant now);

  /** Formats a command or an outcome for the trace. */
  String describe(Object what);
}
