package dev.hapax.postgres.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ResultPartitionsIT {
  private static final LocalDate OLD = LocalDate.of(2020, 1, 1);
  private TestDatabase database;
  private ResultPartitions partitions;

  @BeforeEach
  void create() {
    database = TestDatabase.create();
    Migrations.migrate(database.dataSource());
    partitions =
        new ResultPartitions(new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN));
    database.execute(
        "CREATE TABLE hapax.operation_result_20200101 PARTITION OF hapax.operation_result"
            + " FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')");
  }

  @AfterEach
  void close() {
    partitions.close();
    database.close();
  }

  private Connection reading() throws SQLException {
    var connection = database.connect();
    connection.setAutoCommit(false);
    try (var hold = connection.createStatement()) {
      hold.execute("SELECT count(*) FROM hapax.operation_result");
    }
    return connection;
  }

  private boolean hasTable(LocalDate day) {
    return "t"
        .equals(
            database.query(
                "SELECT to_regclass('hapax.operation_result_%s') IS NOT NULL"
                    .formatted(day.toString().replace("-", ""))));
  }

  private LocalDate today() {
    return LocalDate.parse(database.query("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date"));
  }

  @Test
  @DisplayName(
      "the partition of a day that is over stays while it is read, and is dropped "
          + "the next time [I7]")
  void drop() throws SQLException {
    try (var reader = reading()) {
      partitions.maintain();
      assertThat(hasTable(OLD)).isTrue();
      reader.rollback();
    }
    partitions.maintain();
    assertThat(hasTable(OLD)).isFalse();
  }

  @Test
  @DisplayName("given tables of other names and a default partition, then they stay")
  void otherTables() {
    database.execute(
        """
        CREATE TABLE hapax.operation_result_20209999 (x integer);
        CREATE TABLE hapax.operation_result_rest PARTITION OF hapax.operation_result DEFAULT""");

    partitions.maintain();

    assertThat(hasTable(OLD)).isFalse();
    assertThat(
            database.query(
                "SELECT count(*) FROM pg_class WHERE relname IN"
                    + " ('operation_result_20209999', 'operation_result_rest')"))
        .isEqualTo("2");
  }

  @Test
  @DisplayName(
      "as far ahead as results are kept, the next day's partition is there before midnight")
  void ahead() {
    var day = today().plusDays(7);
    assertThat(partitions.exists(day)).isFalse();

    partitions.maintain();

    for (var ahead : List.of(0, 1, 2, 7, 8)) {
      assertThat(hasTable(today().plusDays(ahead))).isTrue();
    }
    assertThat(hasTable(today().plusDays(6))).isFalse();
    assertThat(partitions.exists(day)).isTrue();
  }

  @Test
  @DisplayName("given a day whose partition cannot be created, then the other days get theirs")
  void oneDayFails() {
    var bad = today().plusDays(1);
    database.execute(
        "CREATE VIEW hapax.operation_result_%s AS SELECT 1"
            .formatted(bad.toString().replace("-", "")));

    partitions.maintain();

    assertThat(partitions.exists(bad)).isFalse();
    assertThat(partitions.exists(today())).isTrue();
    assertThat(partitions.exists(today().plusDays(2))).isTrue();
  }

  @Test
  @DisplayName("given nodes that need the same day at once, then each of them gets it")
  void together() {
    var nodes =
        IntStream.range(0, 5)
            .mapToObj(
                _ ->
                    new ResultPartitions(
                        new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN)))
            .toList();
    var day = today().plusDays(9);

    var awaited =
        nodes.stream()
            .flatMap(
                node -> List.of(node.missing(List.of(day)), node.missing(List.of(day))).stream())
            .toArray(CompletableFuture[]::new);

    CompletableFuture.allOf(awaited).orTimeout(30, TimeUnit.SECONDS).join();
    assertThat(nodes).allMatch(node -> node.exists(day));
    nodes.forEach(ResultPartitions::close);
  }
}
