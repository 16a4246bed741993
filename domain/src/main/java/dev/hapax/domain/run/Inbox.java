package dev.hapax.domain.run;

/**
 * How many signals a run has received; what they say is read when it is needed.
 *
 * @param received in all
 * @param unconsumed those that no completion has used up
 */
public record Inbox(long received, int unconsumed) {
  /** How many may lie unconsumed. */
  public static final int MAX_UNCONSUMED = 1_000;

  static final Inbox EMPTY = new Inbox(0, 0);

  boolean isOverfull() {
    return unconsumed > MAX_UNCONSUMED;
  }

  Inbox plusOne() {
    return new Inbox(received + 1, unconsumed + 1);
  }

  Inbox without(int consumed) {
    return new Inbox(received, unconsumed - consumed);
  }
}
