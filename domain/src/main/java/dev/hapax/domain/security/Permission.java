package dev.hapax.domain.security;

/** The permission that a method requires. */
public enum Permission {
  /** Read records, and wait for them to change. */
  OBSERVE,
  /** Begin and end operations and actions, start and signal runs, own tokens. */
  CALL,
  /** Send a signal to the owner of a token. */
  SIGNAL_HOOK,
  /** Execute steps of runs, and recover entities. */
  WORK,
  /** Intervene: cancel, pause, resume, retry, resolve, release, delete, sweep. */
  OPERATE,
  /** Register definitions, apply lifecycles, declare janitors. */
  DEFINE,
  /** Manage who may do what. */
  ADMINISTER
}
