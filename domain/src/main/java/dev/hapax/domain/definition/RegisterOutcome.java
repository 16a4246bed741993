package dev.hapax.domain.definition;

/** What became of a registration. */
public sealed interface RegisterOutcome {
  /**
   * It is there.
   *
   * @param already the same was there before
   */
  record Registered(Definition definition, boolean already) implements RegisterOutcome {}

  /** This version is there with other content, which stays. */
  record Different(Definition registered) implements RegisterOutcome {}
}
