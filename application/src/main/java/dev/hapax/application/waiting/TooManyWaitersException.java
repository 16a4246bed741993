package dev.hapax.application.waiting;

/** A workspace has as many waits as it may have; nothing was done. */
public final class TooManyWaitersException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int limit;

  TooManyWaitersException(int limit) {
    super("the workspace has %d waiting calls already".formatted(limit), null, false, false);
    this.limit = limit;
  }

  public int limit() {
    return limit;
  }
}
