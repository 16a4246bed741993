package dev.hapax.application.waiting;

import java.util.Locale;

/** The workspace has reached its limit of waiting calls; the call had no effect. */
public final class TooManyWaitersException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int limit;

  TooManyWaitersException(int limit) {
    super(
        String.format(
            Locale.ROOT,
            "the workspace already has %d waiting calls, the largest number allowed",
            limit),
        null,
        false,
        false);
    this.limit = limit;
  }

  public int limit() {
    return limit;
  }
}
