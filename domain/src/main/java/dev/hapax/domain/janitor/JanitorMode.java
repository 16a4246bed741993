package dev.hapax.domain.janitor;

/** Who takes an entity back whose holder is gone. */
public enum JanitorMode {
  /** This server: for actions that may run again, or whose writes check the fence. */
  HOSTED,
  /** The module itself, which looks whether the work was done. */
  REMOTE
}
