package dev.hapax.domain.security;

/** The object of a call inside a workspace, as far as a grant can be narrowed to it. */
public sealed interface Target {
  /** Anything in the workspace. */
  record Anything() implements Target {}

  /** A queue that a worker polls. */
  record Queue(String name) implements Target {}

  /** A task that a poll granted before. */
  record HeldTask() implements Target {}

  /** A definition of runs. */
  record Definition(String name) implements Target {}
}
