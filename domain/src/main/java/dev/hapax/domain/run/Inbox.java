package dev.hapax.domain.run;

/**
 * The signal counts of a run; payloads are loaded on demand.
 *
 * @param received in total
 * @param unconsumed signals that no completion has consumed
 */
public record Inbox(long received, int unconsumed) {
  /** The largest number of unconsumed signals. */
  public static final int MAX_UNCONSUMED = 1_000;

  static final Inbox EMPTY = new Inbox(0, 0);

  boolean isOverfull() {
    return unconsumed > MAX_UNCONSUMED;
  }

  Inbox withOneMore() {
    return new Inbox(received + 1, unconsumed + 1);
  }

  Inbox without(int consumed) {
    return new Inbox(received, unconsumed - consumed);
  }
}
