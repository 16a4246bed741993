package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseSetup;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SchemaState;
import dev.hapax.postgres.schema.ShippedMigration;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax migrate}. */
@Command(
    name = "migrate",
    description = {
      "Migrate the database to the schema of this version, then exit.",
      "`hapax serve` does this at startup. Accepts its options, variables and configuration file."
    })
final class MigrateCommand implements Callable<Integer>, ServerSettingOptions.User {
  /** A backup may hold its locks for hours; an operator decides then. */
  private static final Duration LOCK_WAIT = Duration.ofMinutes(5);

  /** Calls that queued behind the lock are answered meanwhile. */
  private static final long MIN_PAUSE_MILLIS = 1_000;

  private static final long MAX_PAUSE_MILLIS = 2_000;

  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--dry-run",
      description = "List the missing migrations with their kinds, and change nothing.")
  private boolean dryRun;

  MigrateCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    if (dryRun
        && config.database() instanceof DatabaseConfig.Embedded(var dataDir)
        && !EmbeddedDatabase.exists(dataDir)) {
      describe(new SchemaState.Behind(0, Migrations.shipped()));
      return ExitCode.OK;
    }
    return ConfiguredDatabase.use(config, target -> migrate(target, config));
  }

  private int migrate(JdbcTarget target, ServerConfig config)
      throws IOException, ConfigurationException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      DatabaseSetup.require(source, target);
      var state = Migrations.state(source);
      if (dryRun) {
        describe(state);
      } else {
        migrate(source, state);
      }
      return ExitCode.OK;
    } catch (MigrationException | SQLException e) {
      throw new IOException("cannot migrate " + target + ": " + e.getMessage(), e);
    }
  }

  private void migrate(DataSource source, SchemaState state) {
    migrateWithRetry(source);
    var done =
        state instanceof SchemaState.Behind(var _, var pending)
            ? "applied " + pending.size()
            : "nothing to do";
    int version =
        Migrations.state(source) instanceof SchemaState.Usable(var usable)
            ? usable
            : Migrations.newest();
    print(String.format(Locale.ROOT, "%s: the schema has version %d", done, version));
  }

  private void migrateWithRetry(DataSource source) {
    long end = System.nanoTime() + LOCK_WAIT.toNanos();
    for (int tries = 1; ; tries++) {
      try {
        Migrations.migrateAndGrant(source);
        return;
      } catch (MigrationException e) {
        if (SqlState.of(e.reason()) != SqlState.BLOCKED || System.nanoTime() > end) {
          throw e;
        }
        if (tries == 1) {
          spec.commandLine()
              .getErr()
              .println(
                  String.format(
                      Locale.ROOT,
                      "hapax: another session holds a lock, retrying for up to %d s: %s",
                      LOCK_WAIT.toSeconds(),
                      e.getMessage()));
        }
        LockSupport.parkNanos(
            TimeUnit.MILLISECONDS.toNanos(
                ThreadLocalRandom.current().nextLong(MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS)));
      }
    }
  }

  private void describe(SchemaState state) {
    switch (state) {
      case SchemaState.Usable(var version) ->
          print(
              String.format(
                  Locale.ROOT,
                  "nothing to do: the schema has version %d, and this version needs %d or later",
                  version,
                  Migrations.newest()));
      case SchemaState.Behind(var version, var pending) -> {
        print(
            String.format(
                Locale.ROOT,
                "%s, and this version needs %d",
                version == 0 ? "there is no schema" : "the schema has version " + version,
                Migrations.newest()));
        pending.forEach(migration -> print(describe(migration)));
      }
      case SchemaState.Differs _ ->
          print("the schema differs from the migrations of this version: migrating says how");
    }
  }

  private static String describe(ShippedMigration migration) {
    var wait =
        migration.feature().isPresent()
            ? ", waits until every server knows feature " + migration.feature().getAsInt()
            : "";
    return "%-9s %s%s".formatted(migration.kind(), migration.script(), wait);
  }

  private void print(String line) {
    spec.commandLine().getOut().println(line);
  }
}
