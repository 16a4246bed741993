package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.entity.EntityNodes;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads that are slow because another session has locked a table. */
@Tag("A4")
@Tag("long")
class ReadLanesIT {
  private static final Duration WEEK = Duration.ofDays(7);

  /** Less than the statement timeout of the reads that wait for the lock. */
  private static final int SOON_SECONDS = 8;

  private TestDatabase database;
  private PostgresStore store;

  @BeforeEach
  void open() throws SQLException {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
    store =
        PostgresStore.open(
            new PostgresConfig(
                database.url(),
                "",
                new DatabasePassword.None(),
                3,
                PostgresLedger.Settings.DEFAULT,
                WEEK,
                WEEK,
                RowLevelSecurity.ON,
                "test"));
  }

  @AfterEach
  void close() {
    store.close();
    database.close();
  }

  private Connection lock(String table) throws SQLException {
    var connection = database.connect();
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute("LOCK TABLE hapax." + table);
    }
    return connection;
  }

  private void scanTheBacklog() {
    for (var i = 0; i < 20; i++) {
      var _ = store.backlog().backlog();
    }
  }

  private void scanForDueRuns() {
    for (var i = 0; i < 20; i++) {
      var _ = store.runs().due(Duration.ZERO, Optional.empty(), 10);
    }
  }

  private static <T> T soon(CompletableFuture<T> read) {
    return read.orTimeout(SOON_SECONDS, TimeUnit.SECONDS).join();
  }

  @Test
  @DisplayName("given scans of the backlog that wait, then timers and API keys are read at once")
  void scansDelayNothing() throws SQLException {
    try (var _ = lock("operation")) {
      scanTheBacklog();
      assertThat(soon(store.runs().due(Duration.ZERO, Optional.empty(), 10))).isEmpty();
      assertThat(soon(store.apiKeys().revision())).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("given scans for due runs that wait as well, then API keys are read at once")
  void timersDoNotDelayKeys() throws SQLException {
    try (var _ = lock("run")) {
      scanTheBacklog();
      scanForDueRuns();
      assertThat(soon(store.apiKeys().live()).revision()).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("given more callers than reads may wait, then they share the state of the database")
  void sharesTheStateOfTheDatabase() throws SQLException {
    List<CompletableFuture<Instant>> answers;
    try (var _ = lock("flyway_schema_history")) {
      answers =
          IntStream.range(0, 5_000)
              .mapToObj(_ -> store.databaseReads().info().thenApply(info -> info.now()))
              .toList();
      // the one read waits for the lock in a thread; reads of their own would stay queued
      EntityNodes.awaitUntil("no read is queued", () -> store.load().readsQueued() == 0);
      assertThat(soon(store.apiKeys().revision())).isEqualTo(1);
    }
    answers.forEach(ReadLanesIT::soon);
    // the next caller gets a reading of its own
    assertThat(soon(store.databaseReads().info()).now()).isAfter(answers.getFirst().join());
  }
}
