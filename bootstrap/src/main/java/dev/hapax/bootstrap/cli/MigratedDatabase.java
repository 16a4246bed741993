package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import picocli.CommandLine.Model.CommandSpec;

/** The database of a command that needs no server, with the schema that a server would give it. */
public record MigratedDatabase(CommandSpec spec, Map<String, String> environment) {

  /** Work on the database. */
  public interface Work<T> {
    T on(DataSource database) throws SQLException, IOException;
  }

  /** Does the work. The built-in PostgreSQL may be new, so the schema is migrated before. */
  public <T> T use(Work<T> work) throws Exception {
    var config = SettingOptions.read(spec.commandLine().getParseResult(), environment);
    return ConfiguredDatabase.use(config, target -> use(config, target, work));
  }

  private static <T> T use(ServerConfig config, JdbcTarget target, Work<T> work)
      throws IOException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      Migrations.migrate(source);
      return work.on(source);
    } catch (MigrationException | SQLException e) {
      throw new IOException("cannot use " + target + ": " + e.getMessage(), e);
    }
  }
}
