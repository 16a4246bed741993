package dev.hapax.domain.janitor;

/** The party that frees an entity whose lease expired. */
public enum JanitorMode {
  /** This server reverts it: for actions that may run again, or whose writes check the fence. */
  HOSTED,
  /** The module recovers it, and finds out whether the action took effect. */
  REMOTE
}
