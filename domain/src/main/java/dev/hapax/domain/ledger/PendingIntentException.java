package dev.hapax.domain.ledger;

/**
 * A record has a pending intent: its holder completed it in a transaction of its own, and the
 * intent that says so was not taken yet. Only ledgers see this: they have the intent taken, and
 * decide the command again. It has no stack trace, since it is no failure.
 */
public final class PendingIntentException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient RecordKey<?> intent;

  PendingIntentException(RecordKey<?> intent) {
    super("pending: " + intent, null, false, false);
    this.intent = intent;
  }

  /** The key of the intent. */
  public RecordKey<?> intent() {
    return intent;
  }
}
