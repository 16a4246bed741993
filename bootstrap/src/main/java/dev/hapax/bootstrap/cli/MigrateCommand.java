package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax migrate}. */
@Command(
    name = "migrate",
    description = {
      "Migrate the database to the schema of this version, then exit.",
      "`hapax serve` does this at startup. Accepts its options, variables and configuration file."
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
    return ConfiguredDatabase.use(config, target -> migrate(target, config));
  }

  private int migrate(JdbcTarget target, ServerConfig config) throws IOException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      int applied = Migrations.migrateAndGrant(source);
      var done = applied == 0 ? "nothing to do" : "applied " + applied;
      spec.commandLine()
          .getOut()
          .println(done + ": the schema has version " + Migrations.version(source));
      return ExitCode.OK;
    } catch (MigrationException e) {
      throw new IOException("cannot migrate " + target + ": " + e.getMessage(), e);
    }
  }
}
