package dev.hapax.domain.definition;

/** The outcome of {@link RegisterDefinition}. */
public sealed interface RegisterOutcome {
  /**
   * The version is registered.
   *
   * @param already it was registered before with the same content
   */
  record Registered(Definition definition, boolean already) implements RegisterOutcome {}

  /** This version is registered with different content, which remains. */
  record Different(Definition registered) implements RegisterOutcome {}
}
