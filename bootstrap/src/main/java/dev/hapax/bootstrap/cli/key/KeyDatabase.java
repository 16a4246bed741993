package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.ConfiguredDatabase;
import dev.hapax.bootstrap.cli.SettingOptions;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.bootstrap.server.SchemaVersion;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.security.ApiKeyTable;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import picocli.CommandLine.Model.CommandSpec;

/** Runs work on the table of API keys in one transaction. */
record KeyDatabase(CommandSpec spec, Map<String, String> environment) {

  <T> T use(ApiKeyTable.Work<T> work) throws Exception {
    var config = SettingOptions.read(spec.commandLine().getParseResult(), environment);
    return ConfiguredDatabase.use(config, target -> use(config, target, work));
  }

  private static <T> T use(ServerConfig config, JdbcTarget target, ApiKeyTable.Work<T> work)
      throws IOException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      switch (config.database()) {
        // it may be new
        case DatabaseConfig.Embedded _ -> Migrations.migrate(source);
        case DatabaseConfig.External _ -> requireSchema(source, target);
      }
      return ApiKeyTable.inTransaction(source, work);
    } catch (MigrationException | SQLException e) {
      throw new IOException("cannot use " + target + ": " + e.getMessage(), e);
    }
  }

  /** To revoke a key must not change the schema under running servers. */
  private static void requireSchema(DataSource source, JdbcTarget target) throws IOException {
    var problem = new SchemaVersion(source).problem();
    if (problem.isPresent()) {
      throw new IOException(
          "cannot use %s: its schema %s, or use the version of the running servers"
              .formatted(target, problem.get()));
    }
  }
}
