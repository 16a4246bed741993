package dev.hapax.bench;

import io.grpc.ClientInterceptors;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The costs of one report or wait: commits, bytes of the write-ahead log, bytes of the calls. */
final class PartCosts {
  private static final int UNITS = 100;

  private static final String CHECKPOINT =
      "SELECT redo_lsn - '0/0'::pg_lsn FROM pg_control_checkpoint()";

  /** Each event gives its run the next version; a row may keep two. */
  private static final String EVENTS = "SELECT coalesce(sum(version), 0) FROM hapax.run";

  private final BenchServers bench;
  private final MessageMeter meter = new MessageMeter();
  private final PartWorker worker;
  private final List<Case> cases = new ArrayList<>();

  PartCosts(BenchServers bench, ServerProcess hapax, JdbcBaseline jdbc) {
    this.bench = bench;
    this.worker = new PartWorker(ClientInterceptors.intercept(hapax.channel(), meter), "costs");
    add("INSERT, plain JDBC", _ -> jdbc.insert());
    add("record", worker::record);
    add("failure in place", part -> worker.failInPlace(part, ""));
    var stack = new StringWriter();
    new IOException("503").printStackTrace(new PrintWriter(stack));
    add("failure in place, with a stack", part -> worker.failInPlace(part, stack.toString()));
    add("begin at most once", worker::begin);
    add(
        "begin and output",
        part -> {
          worker.begin(part);
          worker.record(part);
        });
    add(
        "failure with a pause",
        part -> {
          worker.failForLong(part);
          worker.suspend();
        });
    add("failure with a pause, one call", part -> worker.suspend(PartWorker.longFailure(part)));
    add(
        "wait",
        part -> {
          var _ = worker.report(List.of(PartWorker.waitEnd(part)));
          worker.suspend();
        });
    add("wait, one call", part -> worker.suspend(PartWorker.waitEnd(part)));
  }

  private interface Unit {
    /** Does one unit with a part that is new in the run. */
    void once(String part) throws Exception;
  }

  private record Position(
      double checkpoint, double commits, double events, double wal, double sent, double received) {}

  /** The mean of a round. */
  private record Cost(
      double commits, double events, double wal, double sent, double received, double millis) {}

  private record Case(String name, Unit unit, List<Cost> rounds) {
    double median(ToDoubleFunction<Cost> figure) {
      return Spread.of(rounds.stream().mapToDouble(figure).toArray()).median();
    }
  }

  private void add(String name, Unit unit) {
    cases.add(new Case(name, unit, new ArrayList<>()));
  }

  /** Measures all in every round, after one for warm-up, and prints the medians. */
  void measure() throws Exception {
    var idle = measureIdle();
    for (var round = 0; round <= bench.rounds(); round++) {
      bench.print("round %d of %d of the costs", round, bench.rounds());
      for (var each : cases) {
        var cost = measureRound(each);
        if (round > 0) {
          each.rounds().add(cost);
        }
      }
    }
    print(idle);
  }

  private Cost measureIdle() throws Exception {
    var before = position();
    // the server's own work is what is measured
    Thread.sleep(bench.time());
    return cost(before, position(), 0, (int) bench.time().toSeconds());
  }

  private Cost measureRound(Case each) throws Exception {
    worker.start();
    while (true) {
      var before = position();
      var begin = System.nanoTime();
      for (var unit = 0; unit < UNITS; unit++) {
        each.unit().once("part-" + begin + "-" + unit);
      }
      var nanos = System.nanoTime() - begin;
      var after = position();
      if (after.checkpoint() == before.checkpoint()) {
        return cost(before, after, nanos, UNITS);
      }
      bench.print("repeated, since there was a checkpoint: %s", each.name());
    }
  }

  private static Cost cost(Position before, Position after, long nanos, int units) {
    return new Cost(
        (after.commits() - before.commits()) / units,
        (after.events() - before.events()) / units,
        (after.wal() - before.wal()) / units,
        (after.sent() - before.sent()) / units,
        (after.received() - before.received()) / units,
        nanos / 1e6 / units);
  }

  private Position position() throws SQLException {
    return new Position(
        bench.queryNumber(CHECKPOINT),
        bench.commits(),
        bench.queryNumber(EVENTS),
        bench.walPosition(),
        meter.requestBytes(),
        meter.responseBytes());
  }

  private void print(Cost idle) {
    bench.print(
        "%nan idle server in a second: %.1f commits, %.0f bytes of log",
        idle.commits(), idle.wal());
    bench.print(
        "%n| one unit, one call at a time | commits | events | log, bytes | request, bytes |"
            + " response, bytes | ms | to a record |");
    bench.print("| --- | --: | --: | --: | --: | --: | --: | --: |");
    var oneRecord = cases.get(1).median(Cost::millis);
    for (var each : cases) {
      bench.print(
          "| %s | %.2f | %.2f | %,.0f | %,.0f | %,.0f | %.1f | %.2f |",
          each.name(),
          each.median(Cost::commits),
          each.median(Cost::events),
          each.median(Cost::wal),
          each.median(Cost::sent),
          each.median(Cost::received),
          each.median(Cost::millis),
          each.median(Cost::millis) / oneRecord);
    }
  }
}
