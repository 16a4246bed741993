package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.run.PageScan.Place;
import dev.hapax.postgres.run.PageScan.Removed;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PageScanIT {
  private TestDatabase database;
  private MaintenanceConnections connections;
  private PageScan scan;
  private final List<Place> steps = new ArrayList<>();

  @BeforeEach
  void start() {
    database = TestDatabase.create();
    database.execute(
        "CREATE TABLE old_row AS SELECT repeat('x', 500) FROM generate_series(1, 1000)");
    connections = new MaintenanceConnections(database.dataSource(), SessionRoles.LOGIN);
    scan = new PageScan("old_row", Duration.ofDays(30), _ -> {}, System::nanoTime);
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private Removed step(Place from) throws SQLException {
    steps.add(from);
    if (steps.size() == 1) {
      throw new SQLException("the first step fails");
    }
    return new Removed(1, Optional.empty());
  }

  @Test
  @DisplayName(
      "given a first step that fails, when it runs again, then it scans from the first page")
  void retried() throws SQLException {
    assertThatThrownBy(() -> scan.run(connections, (_, from) -> step(from)))
        .hasMessage("the first step fails");

    assertThat(scan.run(connections, (_, from) -> step(from))).isEqualTo(steps.size() - 1);

    var page = PageScan.PAGES;
    assertThat(steps)
        .startsWith(Place.FIRST, Place.FIRST, new Place(page, 0), new Place(2L * page, 0));
    assertThat(scan.run(connections, (_, from) -> step(from))).as("before its period").isZero();
  }

  @Test
  @DisplayName("given pages without rows, then it goes on behind them")
  void gap() throws SQLException {
    database.execute(
        "DELETE FROM old_row WHERE ctid < '(40,2)' OR ctid > '(50,3)' AND ctid < '(60,0)'");
    steps.add(Place.FIRST);
    scan.run(connections, (_, from) -> step(from));
    assertThat(steps).containsExactly(Place.FIRST, new Place(40, 1));

    database.execute("DELETE FROM old_row");
    var empty = new PageScan("old_row", Duration.ofDays(30), _ -> {}, System::nanoTime);
    assertThat(empty.run(connections, (_, from) -> step(from))).isZero();
  }

  @Test
  @DisplayName("given a connection that breaks, when it is rolled back, then the cause is thrown")
  void cause() throws SQLException {
    try (var connection = connections.open()) {
      assertThatThrownBy(
              () ->
                  PageScan.inTransaction(
                      connection,
                      () -> {
                        connection.abort(Runnable::run);
                        throw new SQLException("the cause");
                      }))
          .hasMessage("the cause");
    }
  }
}
