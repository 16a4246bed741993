package dev.hapax.bootstrap.config;

import java.nio.file.Path;

/** Which PostgreSQL is used. */
public sealed interface DatabaseConfig {

  /** The one hapax brings along, with its data in a folder of ours. */
  record Embedded(Path dataDir) implements DatabaseConfig {}

  /** One that somebody else runs. */
  record External(JdbcTarget target) implements DatabaseConfig {}
}
