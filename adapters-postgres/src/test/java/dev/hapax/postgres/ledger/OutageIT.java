package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.testkit.ledger.Counter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The database is away for a while. */
@Tag("fault")
@Tag("long")
class OutageIT {
  private TestLedgers ledgers;

  @BeforeEach
  void start() {
    ledgers = new TestLedgers();
  }

  @AfterEach
  void stop() {
    ledgers.close();
  }

  private void goAway() {
    ledgers.database().allowConnections(false);
    ledgers.database().disconnectAll();
  }

  private void comeBack() {
    ledgers.database().allowConnections(true);
  }

  @Test
  @DisplayName("an outage shorter than patience costs no command anything")
  void shortOutages() {
    var settings = PostgresLedger.Settings.DEFAULT;
    var keys = IntStream.range(0, 4).mapToObj(i -> key("short-" + i)).toList();
    var load = new Load(List.of(ledgers.node(settings), ledgers.node(settings)), keys);
    for (var round = 0; round < 4; round++) {
      load.awaitMore(500);
      goAway();
      await("no connection is left", () -> load.isStalled());
      comeBack();
    }
    load.awaitMore(500);
    load.stop();

    load.assertNothingLostOrDoubled(ledgers);
  }

  @Test
  @DisplayName(
      "an outage longer than patience makes commands unavailable; the ledger recovers by itself, and nothing is lost or doubled")
  void aLongOutage() {
    var settings = PostgresLedger.Settings.DEFAULT.withCommandTimeout(Duration.ofMillis(700));
    var keys = IntStream.range(0, 4).mapToObj(i -> key("long-" + i)).toList();
    var load = new Load(List.of(ledgers.node(settings), ledgers.node(settings)), keys);
    load.awaitMore(500);
    goAway();
    await("more commands fail than are under way at once", () -> load.failures().size() > 300);
    comeBack();
    load.awaitMore(500);
    load.stop();

    assertThat(load.failures()).allMatch(Unavailable.class::isInstance);
    load.assertNothingLostOrDoubledButFailures(ledgers);
  }

  @Test
  @DisplayName("a server that takes no writes any more is left for one that does")
  void readOnly() {
    var key = key("read-only");
    var ledger = ledgers.node(oneCommitter());
    assertThat(await(ledger.submit(Counter.increment(key)))).isEqualTo(1);
    var database = ledgers.database();
    var alter = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I %s', current_database()); END $$";
    database.execute(alter.formatted("SET default_transaction_read_only = on"));
    database.killConnections();
    var impatient = ledgers.node(oneCommitter().withCommandTimeout(Duration.ofMillis(300)));
    assertThatThrownBy(() -> await(impatient.submit(Counter.increment(key))))
        .hasCauseInstanceOf(Unavailable.class);
    var patient = ledger.submit(Counter.increment(key));
    database.execute(
        "BEGIN READ WRITE; " + alter.formatted("RESET default_transaction_read_only") + "; COMMIT");

    assertThat(await(patient)).isEqualTo(2);
    await(
        "the impatient node increments it, too",
        () ->
            impatient
                .submit(Counter.increment(key))
                .handle((value, _) -> Long.valueOf(3).equals(value))
                .join());
  }

  @Test
  @DisplayName("whatever the database's default is, the ledger reads what is committed")
  void isolation() {
    var database = ledgers.database();
    database.set("default_transaction_isolation", "serializable");
    var settings = PostgresLedger.Settings.DEFAULT;
    var keys = List.of(key("isolated"));
    var load = new Load(List.of(ledgers.node(settings), ledgers.node(settings)), keys);
    load.awaitMore(2_000);
    load.stop();

    load.assertNothingLostOrDoubled(ledgers);
    try (var node = ledgers.open(database.dataSource(), oneCommitter());
        var connection = node.pool().getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SHOW default_transaction_isolation")) {
      rows.next();
      assertThat(rows.getString(1)).isEqualTo("read committed");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("closing takes nothing more and answers all that was taken")
  void close() {
    var node = ledgers.open(ledgers.database().dataSource(), PostgresLedger.Settings.DEFAULT);
    var key = key("closing");
    var taken =
        IntStream.range(0, 2_000)
            .mapToObj(_ -> node.ledger().submit(Counter.increment(key)))
            .toList();
    node.close();

    assertThat(taken)
        .allMatch(CompletableFuture::isDone)
        .noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(ledgers.value(key)).isEqualTo(2_000);
    assertThatThrownBy(() -> await(node.ledger().submit(Counter.increment(key))))
        .hasCauseInstanceOf(Unavailable.class);
    node.ledger().close();
  }

  @Test
  @DisplayName(
      "closing while the database is away answers all that was taken when its patience ends")
  void closeWithoutDatabase() {
    var settings = PostgresLedger.Settings.DEFAULT.withCommandTimeout(Duration.ofSeconds(3));
    var node = ledgers.open(ledgers.database().dataSource(), settings);
    var key = key("closing-away");
    await(node.ledger().submit(Counter.increment(key)));
    goAway();
    var taken =
        IntStream.range(0, 1_000)
            .mapToObj(_ -> node.ledger().submit(Counter.increment(key)))
            .toList();
    node.close();

    assertThat(taken).allMatch(CompletableFuture::isDone);
    comeBack();
    assertThat(ledgers.value(key)).isEqualTo(1);
  }

  @Test
  @DisplayName("closing while a record is held answers those that wait for it, too")
  void closeWithAHeldRecord() throws SQLException {
    var settings = oneCommitter().withCommandTimeout(Duration.ofSeconds(5));
    var node = ledgers.open(ledgers.database().dataSource(), settings);
    var key = key("closing-held");
    await(node.ledger().submit(Counter.increment(key)));
    try (var holder = ledgers.database().connect();
        var hold = holder.createStatement()) {
      holder.setAutoCommit(false);
      hold.execute("SELECT value FROM hapax.counter FOR UPDATE");
      var held = node.ledger().submit(Counter.increment(key));
      var free = node.ledger().submit(Counter.increment(key("closing-free")));
      node.close();

      assertThat(await(free)).isEqualTo(1);
      assertThatThrownBy(() -> await(held)).hasCauseInstanceOf(Unavailable.class);
    }
  }
}
