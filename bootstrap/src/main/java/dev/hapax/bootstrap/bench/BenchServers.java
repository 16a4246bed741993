package dev.hapax.bootstrap.bench;

import dev.hapax.bootstrap.config.JdbcTarget;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What every bench needs: servers on one database, sides measured in turns, a table of them.
 *
 * @param time of each side in a round
 */
record BenchServers(PrintWriter out, Duration time, int rounds, JdbcTarget database) {
  private static final String ROW = "| %-38s | %,12.0f | %,12.0f | %,12.0f | %-8s |";

  /** A server as it is meant to be run. */
  ServerProcess serve() throws IOException {
    return serve("--committers", "2");
  }

  /** A server that does each command by itself, on as many connections as the baseline has. */
  ServerProcess serveOneByOne() throws IOException {
    return serve("--committers", "16", "--pool-size", "18", "--batch-size", "1");
  }

  private ServerProcess serve(String... settings) throws IOException {
    var arguments =
        new ArrayList<>(
            List.of("serve", "--listen", "127.0.0.1:0", "--database-url", database.url().value()));
    arguments.addAll(List.of(settings));
    database.user().ifPresent(user -> arguments.addAll(List.of("--database-user", user)));
    database.password().ifPresent(word -> arguments.addAll(List.of("--database-password", word)));
    return ServerProcess.start(arguments.toArray(String[]::new));
  }

  /** Measures side after side, round after round; each is warmed up twice. */
  void measure(List<Measurement> sides) throws Exception {
    say("warming up (%d sides, twice %d s)", sides.size(), time.toSeconds());
    for (var side : sides) {
      side.warmUp();
      side.warmUp();
    }
    for (var round = 1; round <= rounds; round++) {
      for (var side : sides) {
        say(
            "round %d of %d: %-38s %,12.1f %s",
            round, rounds, side.name(), side.round(), side.unit());
      }
    }
  }

  void table(List<Measurement> sides) {
    say("%n| %-38s | %12s | %12s | %12s | %-8s |", "side", "median", "least", "most", "unit");
    say(
        "|%s|%s|%s|%s|%s|",
        "-".repeat(40), "-".repeat(14), "-".repeat(14), "-".repeat(14), "-".repeat(10));
    for (var side : sides) {
      say(ROW, side.name(), side.median(), side.least(), side.most(), side.unit());
    }
  }

  void ratio(String name, Measurement side, Measurement to, String aim) {
    say("  %-36s %6.2f   (aim %s)", name, side.ratioTo(to), aim);
  }

  void figure(String name, double value, String aim) {
    say("  %-36s %8.2f   (aim %s)", name, value, aim);
  }

  void say(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }

  /** How much write-ahead log there has been, in bytes. */
  double wal() throws SQLException {
    return number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        database.url().value(), database.user().orElse(""), database.password().orElse(""));
  }

  double number(String sql) throws SQLException {
    try (var connection = connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  /** The rate of this turn, and how much write-ahead log each one made. */
  double rate(int lanes, ClosedLoopLoad.Turn turn, double[] walPerTurn) throws Exception {
    var before = wal();
    var rate = ClosedLoopLoad.rate(lanes, time, turn);
    walPerTurn[0] = (wal() - before) / (rate * time.toMillis() / 1_000.0);
    return rate;
  }
}
