package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseProblem;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.bootstrap.server.SchemaVersion;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import picocli.CommandLine.Model.CommandSpec;

/** The database of a command that needs no server, with the schema of this version. */
public record SchemaDatabase(CommandSpec spec, Map<String, String> environment) {

  /** Work on the database. */
  public interface Work<T> {
    T on(DataSource database) throws SQLException, IOException;
  }

  /** Work that also needs the address of the database. */
  public interface AddressedWork<T> {
    T on(JdbcTarget target, DataSource database) throws SQLException, IOException;
  }

  /** Does the work. */
  public <T> T use(Work<T> work) throws Exception {
    return useAddressed((_, database) -> work.on(database));
  }

  /** Does the work. */
  public <T> T useAddressed(AddressedWork<T> work) throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    return ConfiguredDatabase.use(config, target -> use(config, target, work));
  }

  private static <T> T use(ServerConfig config, JdbcTarget target, AddressedWork<T> work)
      throws IOException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      switch (config.database()) {
        // it may be new
        case DatabaseConfig.Embedded _ -> Migrations.migrate(source);
        case DatabaseConfig.External _ -> requireSchema(source, target);
      }
      return work.on(target, source);
    } catch (MigrationException | SQLException e) {
      throw new IOException(DatabaseProblem.of(target, e), e);
    }
  }

  /** A command such as `hapax key revoke` must not change the schema under running servers. */
  private static void requireSchema(DataSource source, JdbcTarget target) throws IOException {
    var problem = new SchemaVersion(source).problem();
    if (problem.isPresent()) {
      throw new IOException(
          "cannot use %s: its schema %s, or use the version of the running servers"
              .formatted(target, problem.get()));
    }
  }
}
