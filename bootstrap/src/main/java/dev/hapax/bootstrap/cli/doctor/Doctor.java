package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.cli.cell.MoveText;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.Connections;
import dev.hapax.bootstrap.database.DatabaseChecks;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseProblem;
import dev.hapax.bootstrap.database.DatabaseSetup;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.server.CellCheck;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.bootstrap.startup.definition.DefinitionFolder;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFolder;
import dev.hapax.postgres.cell.CellIdentity;
import dev.hapax.postgres.cell.MoveJournal;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.monitoring.InstallationReads;
import dev.hapax.postgres.schema.SessionRoles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Runs the checks of a configuration and reports each result immediately. */
public final class Doctor {
  private static final int MOST_WORKSPACES = 1_000;

  private final ServerConfig config;
  private final Consumer<DatabaseFinding> report;

  public Doctor(ServerConfig config, Consumer<DatabaseFinding> report) {
    this.config = config;
    this.report = report;
  }

  public void examine() throws IOException {
    report.accept(HostChecks.java());
    config.definitions().map(Doctor::definitions).ifPresent(report);
    config.lifecycles().map(Doctor::lifecycles).ifPresent(report);
    if (config.tls().isPresent()) {
      HostChecks.certificates(config).forEach(report);
    }
    switch (config.database()) {
      case DatabaseConfig.Embedded(var dataDir) -> examineEmbedded(dataDir);
      case DatabaseConfig.External(var target, _, var allowUnsafe) -> {
        new PortChecks(config).besideServer().forEach(report);
        examineDatabase(target, allowUnsafe);
      }
    }
  }

  private static DatabaseFinding definitions(Path folder) {
    try {
      return DatabaseFinding.ok("definitions", DefinitionFolder.read(folder).size() + " valid");
    } catch (ConfigurationException e) {
      return DatabaseFinding.fail("definitions", String.valueOf(e.getMessage()));
    }
  }

  private static DatabaseFinding lifecycles(Path folder) {
    try {
      return DatabaseFinding.ok("lifecycles", LifecycleFolder.read(folder).size() + " files valid");
    } catch (ConfigurationException e) {
      return DatabaseFinding.fail("lifecycles", String.valueOf(e.getMessage()));
    }
  }

  private void examineEmbedded(Path dataDir) throws IOException {
    var missing = EmbeddedDatabase.missing();
    if (missing.isPresent()) {
      report.accept(DatabaseFinding.fail("database", missing.get()));
      return;
    }
    HostChecks.dataDir(dataDir).forEach(report);
    var running = EmbeddedDatabase.running(dataDir);
    if (running.isPresent()) {
      report.accept(DatabaseFinding.ok("running", "another hapax is using this folder"));
      examineDatabase(running.get(), false);
      return;
    }
    new PortChecks(config).ofStopped().forEach(report);
    // the check must not create a cluster in an empty data folder
    var trial =
        EmbeddedDatabase.exists(dataDir)
            ? Optional.<Path>empty()
            : Optional.of(Files.createTempDirectory("hapax-doctor"));
    try (var database = EmbeddedDatabase.start(trial.orElse(dataDir))) {
      examineDatabase(database.target(), false);
    } catch (IOException e) {
      report.accept(DatabaseFinding.fail("database", String.valueOf(e.getMessage())));
    } finally {
      if (trial.isPresent()) {
        EmbeddedDatabase.delete(trial.get());
      }
    }
  }

  private void examineDatabase(JdbcTarget target, boolean allowUnsafe) {
    try (var connection = Connections.open(target)) {
      report.accept(DatabaseFinding.ok("database", "connected to " + target));
      DatabaseChecks.of(connection, target, config.ledger(), allowUnsafe).forEach(report);
      report.accept(DatabaseChecks.size(connection));
      var source = PostgresTarget.source(target, config.ledger());
      DatabaseSetup.of(source).forEach(report);
      report.accept(SchemaCheck.of(source));
      if (SchemaCheck.isUsable(source)) {
        examineInstallation(connection, source);
      }
      if (!config.cells().isEmpty()) {
        examineCells(connection, source);
      }
    } catch (SQLException e) {
      report.accept(DatabaseFinding.fail("database", DatabaseProblem.connecting(target, e)));
    }
  }

  /** Reads what servers report, as a server would: its role may read all workspaces. */
  private void examineInstallation(Connection connection, DataSource source) {
    try {
      var roles = SessionRoles.of(connection, config.ledger().rowLevelSecurity());
      try (var wide = new MaintenanceConnections(source, roles).open()) {
        var reads = new InstallationReads(wide);
        InstallationChecks.servers(reads.servers(), Instant.now()).forEach(report);
        report.accept(InstallationChecks.workspaces(reads.stuck(MOST_WORKSPACES)));
      }
    } catch (SQLException e) {
      report.accept(
          DatabaseFinding.warn("servers", "what they report cannot be read: " + e.getMessage()));
    }
  }

  /** Compares the other cells with the first one, which must have a schema. */
  private void examineCells(Connection first, DataSource source) {
    try {
      var check = new CellCheck(config, CellIdentity.read(first));
      for (var cell : config.cells().current()) {
        report.accept(cell(cell, check));
      }
      for (var move : new MoveJournal(source).moves()) {
        report.accept(
            DatabaseFinding.warn(
                "move", MoveText.of(move) + "; see docs/runbooks/move-interrupted.md"));
      }
    } catch (SQLException | IOException | ConfigurationException e) {
      report.accept(DatabaseFinding.fail("cells", String.valueOf(e.getMessage())));
    }
  }

  private static DatabaseFinding cell(CellTarget cell, CellCheck check) {
    var subject = "cell " + cell.name();
    try {
      return check
          .problem(cell)
          .map(problem -> DatabaseFinding.fail(subject, cell.target() + ": " + problem))
          .orElseGet(() -> DatabaseFinding.ok(subject, "usable, " + cell.target()));
    } catch (SQLException e) {
      return DatabaseFinding.fail(subject, DatabaseProblem.starting(cell.target(), e));
    }
  }
}
