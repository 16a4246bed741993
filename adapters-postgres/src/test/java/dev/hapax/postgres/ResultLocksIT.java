package dev.hapax.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.testkit.postgres.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions outside of Hapax hold locks on {@code operation_result}, such as a backup. */
@Tag("fault")
@Tag("long")
class ResultLocksIT {
  private static final AtomicLong NUMBER = new AtomicLong();
  private TestDatabase database;
  private final List<PostgresStore> stores = new ArrayList<>();

  @BeforeEach
  void create() {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
  }

  @AfterEach
  void close() {
    stores.forEach(PostgresStore::close);
    database.close();
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  private PostgresStore open() {
    return open(PostgresLedger.Settings.DEFAULT);
  }

  private PostgresStore open(PostgresLedger.Settings settings) {
    var config =
        new PostgresConfig(
            database.url(),
            "",
            new DatabasePassword.None(),
            2,
            settings,
            Duration.ofDays(7),
            Duration.ofDays(7),
            RowLevelSecurity.ON,
            "test");
    var store =
        await(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return PostgresStore.open(config);
                  } catch (SQLException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    stores.add(store);
    return store;
  }

  /** A session that has done this and keeps its transaction open. */
  private Connection holding(String statement) throws SQLException {
    var connection = database.connect();
    connection.setAutoCommit(false);
    try (var hold = connection.createStatement()) {
      hold.execute(statement);
    }
    return connection;
  }

  /** As pg_dump does it: every table is locked and read in one transaction. */
  private Connection backup() throws SQLException {
    return holding(
        """
        SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
        DO $$
        DECLARE name regclass;
        BEGIN
          FOR name IN SELECT oid FROM pg_class
            WHERE relnamespace = 'hapax'::regnamespace AND relkind IN ('r', 'p') LOOP
            EXECUTE 'LOCK TABLE ' || name || ' IN ACCESS SHARE MODE';
          END LOOP;
        END $$;
        SELECT count(*) FROM hapax.operation_result\
        """);
  }

  private static BeginOperation begin(PostgresStore store, Duration ttl) {
    var nonce = NUMBER.incrementAndGet();
    var key =
        new OperationKey(new Workspace("partitions"), "account", "operation", "r-" + nonce, false);
    return new BeginOperation(
        store.keyedIds().of(key),
        key,
        Fingerprint.of("same".getBytes(StandardCharsets.UTF_8)),
        AttemptId.of("attempt-" + nonce),
        nonce,
        Duration.ofMinutes(1),
        ttl,
        OnStale.TAKE_OVER,
        OnReleasedMismatch.KEY_REUSED);
  }

  private static OperationClaim acquire(PostgresStore store, Duration ttl) {
    return ((BeginOutcome.Acquired) await(store.ledger().submit(begin(store, ttl)))).claim();
  }

  private static CompletableFuture<?> complete(PostgresStore store, OperationClaim claim) {
    return store.ledger().submit(new CompleteOperation(claim, Optional.empty(), Optional.empty()));
  }

  private static List<CompletableFuture<?>> completions(PostgresStore store, int number, int days) {
    return IntStream.range(0, number)
        .mapToObj(_ -> acquire(store, Duration.ofDays(days)))
        .toList()
        .stream()
        .<CompletableFuture<?>>map(claim -> complete(store, claim))
        .toList();
  }

  private void addOldPartition() {
    database.execute(
        "CREATE TABLE hapax.operation_result_20200101 PARTITION OF hapax.operation_result"
            + " FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')");
  }

  @Test
  @DisplayName(
      "while a backup reads the results, a server starts, and results of days that "
          + "no partition exists for are stored [I7]")
  void aReader() throws SQLException {
    var first = open();
    addOldPartition();
    try (var reader = backup()) {
      var second = open();

      completions(first, 5, 20).forEach(ResultLocksIT::await);
      completions(second, 5, 21).forEach(ResultLocksIT::await);

      assertThat(first.isProgressing()).isTrue();
      assertThat(second.isProgressing()).isTrue();
      reader.rollback();
    }
  }

  @Test
  @DisplayName(
      "while another session alters the results, a server starts and stores what needs no new"
          + " partition")
  void anAlteringSession() throws SQLException {
    var first = open();
    await(complete(first, acquire(first, Duration.ofHours(1))));
    List<CompletableFuture<?>> waiting;
    try (var altering =
        holding("LOCK TABLE hapax.operation_result IN SHARE UPDATE EXCLUSIVE MODE")) {
      var second = open();
      waiting = completions(first, 5, 20);

      for (var store : List.of(first, second)) {
        completions(store, 20, 1).forEach(ResultLocksIT::await);
      }
      assertThat(waiting).noneMatch(CompletableFuture::isDone);
      altering.rollback();
    }
    waiting.forEach(ResultLocksIT::await);
  }

  @Test
  @DisplayName(
      "a result that waits for its partition for longer than a command may take is given up, and"
          + " can be sent again")
  void patience() throws SQLException {
    var store = open(PostgresLedger.Settings.DEFAULT.withCommandTimeout(Duration.ofSeconds(5)));
    var claim = acquire(store, Duration.ofDays(20));
    try (var altering =
        holding("LOCK TABLE hapax.operation_result IN SHARE UPDATE EXCLUSIVE MODE")) {
      assertThatThrownBy(() -> await(complete(store, claim)))
          .hasCauseInstanceOf(LedgerException.Unavailable.class);
      altering.rollback();
    }
    assertThat(await(complete(store, claim))).isInstanceOf(CompleteOutcome.Completed.class);
  }
}
