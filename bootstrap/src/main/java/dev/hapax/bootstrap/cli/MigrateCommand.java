package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax migrate}: what a server does when it starts, and nothing else. */
@Command(
    name = "migrate",
    description = {
      "Brings the database to the schema this version needs, and ends.",
      "`hapax serve` does the same when it starts. Takes the same options, variables and file."
    })
final class MigrateCommand implements Callable<Integer>, SettingOptions.User {
  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  MigrateCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = SettingOptions.read(spec.commandLine().getParseResult(), environment);
    switch (config.database()) {
      case DatabaseConfig.Embedded(var dataDir) -> migrateEmbedded(dataDir, config);
      case DatabaseConfig.External(var target, _, _) -> migrate(target, config);
    }
    return ExitCode.OK;
  }

  private void migrateEmbedded(Path dataDir, ServerConfig config) throws IOException {
    var running = EmbeddedDatabase.running(dataDir);
    if (running.isPresent()) {
      migrate(running.get(), config);
      return;
    }
    try (var database = EmbeddedDatabase.start(dataDir)) {
      migrate(database.target(), config);
    }
  }

  private void migrate(JdbcTarget target, ServerConfig config) throws IOException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      int applied = Migrations.migrate(source);
      var done = applied == 0 ? "nothing to do" : "applied " + applied;
      spec.commandLine()
          .getOut()
          .println(done + ": the schema has version " + Migrations.version(source));
    } catch (MigrationException e) {
      throw new IOException(target + " cannot be migrated: " + e.getMessage(), e);
    }
  }
}
