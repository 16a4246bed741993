package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Command;

/** Observes commits and commands. Called by several threads, which it must not block. */
public interface LedgerObserver {
  /**
   * A batch was committed.
   *
   * @param commands how many commands it decided
   * @param changed how many records they changed; 0 = they only read
   * @param nanos from its first statement until the commit was answered
   */
  void committed(int commands, int changed, long nanos);

  /**
   * A command was answered, or failed.
   *
   * @param nanos since it was submitted
   */
  void answered(Command<?> command, long nanos);
}
