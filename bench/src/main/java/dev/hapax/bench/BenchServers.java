package dev.hapax.bench;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.postgres.DatabasePassword;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The tools of every bench: servers on one database, measurements in turns, and a table of results.
 *
 * @param time of each measurement in a round
 */
record BenchServers(PrintWriter out, Duration time, int rounds, JdbcTarget database) {
  private static final String ROW = "| %-38s | %,12.0f | %,12.0f | %,12.0f | %-8s |";

  /** Starts a server with recommended settings. */
  ServerProcess serve() throws IOException {
    return serve("--committers", "2");
  }

  /** Starts a server without batching, on as many connections as the baseline has. */
  ServerProcess serveOneByOne() throws IOException {
    return serve("--committers", "16", "--pool-size", "18", "--batch-size", "1");
  }

  /** Starts a server with recommended settings that requires credentials. */
  ServerProcess serveAuthenticated(String... settings) throws IOException {
    var all = new ArrayList<>(List.of("--committers", "2", "--authentication"));
    all.addAll(List.of(settings));
    return serve(all.toArray(String[]::new));
  }

  /** Starts a server with these settings. */
  ServerProcess serve(String... settings) throws IOException {
    var arguments =
        new ArrayList<>(
            List.of("--listen", "127.0.0.1:0", "--database-url", database.url().value()));
    arguments.addAll(List.of(settings));
    database.user().ifPresent(user -> arguments.addAll(List.of("--database-user", user)));
    switch (database.password()) {
      case DatabasePassword.None() -> {}
      case DatabasePassword.Text(var word) ->
          arguments.addAll(List.of("--database-password", word));
      case DatabasePassword.InFile(var file) ->
          arguments.addAll(List.of("--database-password-file", file.toString()));
    }
    return ServerProcess.serve(Map.of(), arguments.toArray(String[]::new));
  }

  /** Warms each measurement up twice, then measures all of them in every round. */
  void measure(List<Measurement> all) throws Exception {
    print("warming up (%d measurements, twice %d s each)", all.size(), time.toSeconds());
    for (var each : all) {
      each.warmUp();
      each.warmUp();
    }
    for (var round = 1; round <= rounds; round++) {
      for (var each : all) {
        print(
            "round %d of %d: %-38s %,12.1f %s",
            round, rounds, each.name(), each.measureRound(), each.unit());
      }
    }
  }

  void printTable(List<Measurement> all) {
    print(
        "%n| %-38s | %12s | %12s | %12s | %-8s |",
        "measurement", "median", "least", "most", "unit");
    print(
        "|%s|%s|%s|%s|%s|",
        "-".repeat(40), "-".repeat(14), "-".repeat(14), "-".repeat(14), "-".repeat(10));
    for (var each : all) {
      var spread = each.spread();
      print(ROW, each.name(), spread.median(), spread.least(), spread.most(), each.unit());
    }
  }

  void printRatio(String name, Measurement of, Measurement to, String target) {
    print("  %-36s %6.2f   (target: %s)", name, of.ratioTo(to), target);
  }

  void printFigure(String name, double value, String target) {
    var suffix = target.isEmpty() ? "" : "   (target: " + target + ")";
    print("  %-36s %8.2f%s", name, value, suffix);
  }

  void print(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }

  /** The position in the write-ahead log, in bytes. */
  double walPosition() throws SQLException {
    return queryNumber("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
  }

  /** The number of transactions that changed something, so far. */
  double commits() throws SQLException {
    return queryNumber("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
  }

  DataSource dataSource() throws SQLException {
    var source = new PGSimpleDataSource();
    source.setURL(database.url().value());
    database.user().ifPresent(source::setUser);
    database.password().current().ifPresent(source::setPassword);
    return source;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        database.url().value(),
        database.user().orElse(""),
        database.password().current().orElse(""));
  }

  double queryNumber(String sql) throws SQLException {
    try (var connection = connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  /** Measures the rate of a turn, and stores the write-ahead log of each one in the array. */
  double measureRate(int lanes, ClosedLoopLoad.Turn turn, double[] walPerTurn) throws Exception {
    var before = walPosition();
    var rate = ClosedLoopLoad.measureRate(lanes, time, turn);
    walPerTurn[0] = (walPosition() - before) / (rate * time.toMillis() / 1_000.0);
    return rate;
  }
}
