package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;

/** The database of the settings, for commands that use it without a server. */
public final class ConfiguredDatabase {
  private ConfiguredDatabase() {}

  /** Work on a database. */
  public interface Work<T> {
    T on(JdbcTarget target) throws Exception;
  }

  /** Does the work; starts the built-in PostgreSQL for it unless a server runs it. */
  public static <T> T use(ServerConfig config, Work<T> work) throws Exception {
    return switch (config.database()) {
      case DatabaseConfig.External(var target, _, _) -> work.on(target);
      case DatabaseConfig.Embedded(var dataDir) -> {
        var running = EmbeddedDatabase.running(dataDir);
        if (running.isPresent()) {
          yield work.on(running.get());
        }
        try (var database = EmbeddedDatabase.start(dataDir)) {
          yield work.on(database.target());
        }
      }
    };
  }
}
