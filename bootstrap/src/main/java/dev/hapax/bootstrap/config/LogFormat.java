package dev.hapax.bootstrap.config;

/** How lines of the log are written. */
public enum LogFormat {
  /** For people. */
  TEXT,
  /** For programs: an object on each line. */
  JSON
}
