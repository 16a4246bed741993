package dev.hapax.bootstrap.bench;

import com.google.protobuf.Empty;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code hapax bench operations}. */
final class OperationsBench {
  private static final int IN_FLIGHT = 256;
  private static final int CALLERS = 1_000;
  private final PrintWriter out;
  private final java.time.Duration time;
  private final int rounds;
  private final JdbcTarget database;

  OperationsBench(PrintWriter out, java.time.Duration time, int rounds, JdbcTarget database) {
    this.out = out;
    this.time = time;
    this.rounds = rounds;
    this.database = database;
  }

  void run() throws Exception {
    try (var jdbc =
            new JdbcBaseline(
                database.url().value(),
                database.user().orElse(""),
                database.password().orElse(""));
        var hapax = serve("--committers", "2");
        var single = serve("--committers", "16", "--pool-size", "18", "--batch-size", "1");
        var echo = ServerProcess.start("bench", "echo-server")) {
      var sides = sides(jdbc, hapax, single, echo);
      say("warming up (%d sides, twice %d s)", sides.all().size(), time.toSeconds());
      for (var side : sides.all()) {
        side.warmUp();
        side.warmUp();
      }
      for (var round = 1; round <= rounds; round++) {
        for (var side : sides.all()) {
          say(
              "round %d of %d: %-38s %,12.0f %s",
              round, rounds, side.name(), side.round(), side.unit());
        }
      }
      say("waiting: 10,000 Begins on one key, then idle for 21 s");
      var waits = new Waits(hapax, this::number).measure();
      report(sides, waits);
    }
  }

  private record Sides(
      Side jdbc,
      Side pairs,
      Side single,
      Side echo,
      Side replay,
      Side spread,
      Side oneKey,
      Side wal) {
    List<Side> all() {
      return List.of(jdbc, pairs, single, echo, replay, spread, oneKey, wal);
    }
  }

  private Sides sides(
      JdbcBaseline jdbc, ServerProcess hapax, ServerProcess single, ServerProcess echo) {
    var load = new OperationLoad(hapax.channel());
    var batchesOfOne = new OperationLoad(single.channel());
    var echoes = new OperationLoad(echo.channel());
    var finished = finishedKey(hapax);
    var walPerPair = new double[1];
    return new Sides(
        new Side("pairs, plain JDBC", "pairs/s", () -> jdbc.rate(time)),
        new Side("pairs, hapax", "pairs/s", () -> pairs(load, walPerPair)),
        new Side(
            "pairs, hapax in batches of one",
            "pairs/s",
            () -> Lanes.rate(IN_FLIGHT, time, batchesOfOne::pair)),
        new Side("echo", "calls/s", () -> Lanes.rate(IN_FLIGHT, time, echo(echoes))),
        new Side("replay", "calls/s", () -> Lanes.rate(IN_FLIGHT, time, load.beginSame(finished))),
        new Side(
            "begin, 1,000 callers, a key each",
            "calls/s",
            () -> Lanes.rate(CALLERS, time, load::beginNew)),
        new Side(
            "begin, 1,000 callers, one key",
            "calls/s",
            () -> Lanes.rate(CALLERS, time, load.beginSame(OperationLoad.newKey()))),
        new Side("write-ahead log of a pair", "bytes", () -> walPerPair[0]));
  }

  private double pairs(OperationLoad load, double[] walPerPair) throws Exception {
    var before = wal();
    var rate = Lanes.rate(IN_FLIGHT, time, load::pair);
    var bytes = wal() - before;
    walPerPair[0] = bytes / (rate * time.toMillis() / 1_000.0);
    return rate;
  }

  private static Lanes.Turn echo(OperationLoad load) {
    return (_, next) -> load.call(Echo.METHOD, Empty.getDefaultInstance(), next, _ -> next.done());
  }

  private static String finishedKey(ServerProcess hapax) {
    var key = OperationLoad.newKey();
    var stub = OperationServiceGrpc.newBlockingStub(hapax.channel());
    var begun = stub.beginOperation(OperationLoad.request(key).build());
    stub.completeOperation(
        CompleteOperationRequest.newBuilder()
            .setClaim(begun.getAcquired().getClaim())
            .setResult(Payload.newBuilder().setJson(OperationLoad.RESULT))
            .build());
    return key;
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

  private double wal() throws SQLException {
    return number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
  }

  private double number(String sql) throws SQLException {
    try (var connection =
            DriverManager.getConnection(
                database.url().value(),
                database.user().orElse(""),
                database.password().orElse(""));
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  private void report(Sides sides, Waits.Figures waits) {
    say("%n| %-38s | %12s | %12s | %12s | %-8s |", "side", "median", "least", "most", "unit");
    say(
        "|%s|%s|%s|%s|%s|",
        "-".repeat(40), "-".repeat(14), "-".repeat(14), "-".repeat(14), "-".repeat(10));
    for (var side : sides.all()) {
      say(
          "| %-38s | %,12.0f | %,12.0f | %,12.0f | %-8s |",
          side.name(), side.median(), side.least(), side.most(), side.unit());
    }
    say("%nratios, round by round, their medians:");
    ratio("pairs to plain JDBC", sides.pairs(), sides.jdbc(), 2);
    ratio("pairs to batches of one", sides.pairs(), sides.single(), 3);
    ratio("replays to echo", sides.replay(), sides.echo(), 0.33);
    ratio("one key to a key each", sides.oneKey(), sides.spread(), 0.5);
    say("%nothers:");
    figure("write-ahead log of a pair, bytes", sides.wal().median(), "at most 922");
    figure("10,000 waits: connections more", waits.connections(), "0");
    figure("10,000 waits: heap more, MiB", waits.heapBytes() / (1 << 20), "under 100");
    figure("idle with 10,000 waits: queries/s", waits.idleQueries(), "at most 1");
    figure("heap of each server, MiB at most", 256, "256");
  }

  private void ratio(String name, Side side, Side to, double aim) {
    say("  %-30s %6.2f   (aim %.2f)", name, side.ratioTo(to), aim);
  }

  private void figure(String name, double value, String aim) {
    say("  %-36s %8.1f   (aim %s)", name, value, aim);
  }

  private void say(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
    out.flush();
  }
}
