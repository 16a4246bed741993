package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.MigrationMode;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.config.ServerConfig.LedgerConfig;
import dev.hapax.bootstrap.config.StartException;
import dev.hapax.bootstrap.config.StartException.Reason;
import dev.hapax.bootstrap.database.DatabaseChecks;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.bootstrap.database.DatabaseProblem;
import dev.hapax.bootstrap.database.DatabaseSetup;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.embedded.RestoredCluster;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.PostgresStore;
import dev.hapax.postgres.ledger.SqlState;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the database at startup: waits for it, checks its configuration, and migrates its schema.
 *
 * @param migrate whether this server migrates, or waits until the schema is migrated
 * @param maxWait how long to wait while the database is unavailable; other errors fail immediately
 * @param stopRequested returns true when the process must stop, which ends the wait
 */
record DatabaseStart(
    JdbcTarget target,
    LedgerConfig ledger,
    MigrationMode migrate,
    Duration maxWait,
    boolean allowUnsafe,
    BooleanSupplier stopRequested) {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseStart.class);
  private static final String NOT_PERMITTED = "42501";

  /** Like a database that is starting: it can be used later. */
  private static final String NOT_YET = "57P03";

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The database of a configuration; starts the built-in PostgreSQL as one of the parts. */
  static DatabaseStart configured(
      ServerConfig config, BooleanSupplier stopRequested, Resources parts) throws IOException {
    return switch (config.database()) {
      case DatabaseConfig.Embedded(var dataDir) -> {
        RestoredCluster.requireConfirmed(dataDir);
        yield new DatabaseStart(
            parts.keep("embedded PostgreSQL", EmbeddedDatabase.start(dataDir)).target(),
            config.ledger(),
            config.migrate(),
            Duration.ZERO,
            false,
            stopRequested);
      }
      case DatabaseConfig.External(var target, var maxWait, var allowUnsafe) ->
          new DatabaseStart(
              target, config.ledger(), config.migrate(), maxWait, allowUnsafe, stopRequested);
    };
  }

  /** A part of the start that uses the open database, and may be repeated. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException, ConfigurationException;
  }

  /**
   * Opens the database.
   *
   * @throws ConfigurationException if it is one that Hapax cannot work with
   * @throws CancellationException if a stop was requested before the database answered
   */
  PostgresStore open() throws IOException, ConfigurationException {
    var outage = new Outage();
    while (true) {
      try {
        return tryOnce();
      } catch (SQLException e) {
        if (SqlState.of(e) == SqlState.OTHER) {
          throw new StartException(Reason.DATABASE_REFUSES, DatabaseProblem.starting(target, e), e);
        }
        outage.await(e);
      }
    }
  }

  /** Runs a step, again and again while the database is unavailable. */
  void repeat(Step step) throws IOException, ConfigurationException {
    var outage = new Outage();
    while (true) {
      try {
        step.run();
        return;
      } catch (IOException e) {
        outage.await(
            Stream.iterate((Throwable) e, Objects::nonNull, Throwable::getCause)
                .filter(LedgerException.Unavailable.class::isInstance)
                .findFirst()
                .orElseThrow(() -> e));
      }
    }
  }

  /** The waits of one step. */
  private final class Outage {
    private final long began = System.nanoTime();
    private final Set<String> reasons = new HashSet<>();

    /** Pauses before the next try, or ends the start. */
    void await(Throwable cause) throws IOException {
      var reason = String.valueOf(cause.getMessage());
      if (stopRequested.getAsBoolean()) {
        LOG.info("stop requested before {} answered", target);
        throw new CancellationException("stopped before the database answered");
      }
      if (System.nanoTime() - began >= maxWait.toNanos()) {
        throw new StartException(
            Reason.DATABASE_AWAY,
            String.format(
                Locale.ROOT,
                "cannot use %s after %d s (--database-wait): %s",
                target,
                maxWait.toSeconds(),
                reason),
            cause);
      }
      if (reasons.add(reason)) {
        LOG.warn(
            "{} is unavailable, retrying for up to {} s: {}", target, maxWait.toSeconds(), reason);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private PostgresStore tryOnce() throws SQLException, IOException, ConfigurationException {
    var source = PostgresTarget.source(target, ledger);
    DatabaseSetup.require(source, target);
    refuse(check(source, Level.FAIL));
    switch (migrate) {
      case AUTO -> migrate(source);
      case OFF -> requireSchema(source);
    }
    var store = PostgresStore.open(PostgresTarget.config(target, ledger));
    warn(source);
    return store;
  }

  private List<DatabaseFinding> check(DataSource source, Level level) throws SQLException {
    try (var connection = source.getConnection()) {
      return DatabaseChecks.of(connection, target, ledger, allowUnsafe).stream()
          .filter(finding -> finding.level() == level)
          .toList();
    }
  }

  /** Checks again: whether row-level security is on is known only after the migration. */
  private void warn(DataSource source) {
    try {
      check(source, Level.WARN)
          .forEach(finding -> LOG.warn("database, {}: {}", finding.subject(), finding.text()));
    } catch (SQLException e) {
      // the store is open, and its pools reconnect
      LOG.warn("the database was not checked after the migration: {}", e.getMessage());
    }
  }

  private static void requireSchema(DataSource source) throws SQLException {
    try {
      var problem = SchemaVersion.problem(Migrations.state(source));
      if (problem.isPresent()) {
        throw new SQLException(
            "its schema %s, since this server does not migrate (--migrate=off)"
                .formatted(problem.get()),
            NOT_YET);
      }
    } catch (MigrationException e) {
      throw e.reason();
    }
  }

  private static void migrate(DataSource source) throws SQLException {
    try {
      Migrations.migrate(source);
    } catch (MigrationException e) {
      if (NOT_PERMITTED.equals(e.reason().getSQLState())) {
        throw new SQLException(
            "its schema is not that of this version, and this user may not change it: run `hapax"
                + " migrate` as the owner of the schema hapax",
            NOT_PERMITTED,
            e.reason());
      }
      throw e.reason();
    }
  }

  private void refuse(List<DatabaseFinding> failed) throws IOException {
    if (!failed.isEmpty()) {
      throw new StartException(
          Reason.DATABASE_REFUSES,
          "cannot use "
              + target
              + ": "
              + failed.stream()
                  .map(finding -> finding.subject() + ": " + finding.text())
                  .collect(Collectors.joining("; ")));
    }
  }
}
