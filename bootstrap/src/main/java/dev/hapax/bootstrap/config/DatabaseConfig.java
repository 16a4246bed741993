package dev.hapax.bootstrap.config;

import java.nio.file.Path;
import java.time.Duration;

/** Which PostgreSQL is used. */
public sealed interface DatabaseConfig {

  /** The one hapax brings along, with its data in a folder of ours. */
  record Embedded(Path dataDir) implements DatabaseConfig {}

  /**
   * A database that the operator runs.
   *
   * @param maxWait how long to wait at the start until it answers
   * @param allowUnsafe whether it may be one that can lose what was acknowledged
   */
  record External(JdbcTarget target, Duration maxWait, boolean allowUnsafe)
      implements DatabaseConfig {}
}
