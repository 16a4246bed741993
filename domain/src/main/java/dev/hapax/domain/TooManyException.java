package dev.hapax.domain;

/** A workspace has as many of something as it may have; nothing was stored. */
public final class TooManyException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int limit;

  /**
   * For a limit that was met.
   *
   * @param what in the plural
   */
  public TooManyException(String what, int limit) {
    super(
        "the workspace has %d %s already, as many as there may be".formatted(limit, what),
        null,
        false,
        false);
    this.limit = limit;
  }

  public int limit() {
    return limit;
  }
}
