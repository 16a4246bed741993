package dev.hapax.bootstrap.config;

import java.nio.file.Path;
import java.time.Duration;

/** The PostgreSQL of a server. */
public sealed interface DatabaseConfig {

  /** The built-in PostgreSQL, with its data folder. */
  record Embedded(Path dataDir) implements DatabaseConfig {}

  /**
   * A PostgreSQL of the operator.
   *
   * @param maxWait how long to wait at startup until it answers
   * @param allowUnsafe whether to accept settings that can lose acknowledged data
   */
  record External(JdbcTarget target, Duration maxWait, boolean allowUnsafe)
      implements DatabaseConfig {}
}
