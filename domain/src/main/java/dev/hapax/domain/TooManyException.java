package dev.hapax.domain;

import java.util.Locale;

/** The workspace has reached a limit; nothing was stored. */
public final class TooManyException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int limit;

  /**
   * Creates the exception for a limit.
   *
   * @param what the limited objects, in the plural
   */
  public TooManyException(String what, int limit) {
    super(
        String.format(
            Locale.ROOT,
            "the workspace already has %d %s, the largest number allowed",
            limit,
            what),
        null,
        false,
        false);
    this.limit = limit;
  }

  public int limit() {
    return limit;
  }
}
