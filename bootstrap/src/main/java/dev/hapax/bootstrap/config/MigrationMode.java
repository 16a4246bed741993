package dev.hapax.bootstrap.config;

/** Whether a server migrates its database at startup. */
public enum MigrationMode {
  /** It applies the missing migrations. */
  AUTO,
  /** It waits until another process has applied them, such as {@code hapax migrate}. */
  OFF
}
