package dev.hapax.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code hapax bench claims}. */
record ClaimsBench(BenchServers bench, int abandoned) {
  private static final int IN_FLIGHT = 256;
  private static final int CALLERS = 1_000;
  private static final int ENTITIES = 20_000;

  /** Time to claim the abandoned entities before their leases expire. */
  private static final Duration CLAIM_TIME = Duration.ofSeconds(60);

  void run() throws Exception {
    try (var hapax = bench.serve()) {
      var claims = new ClaimLoad(hapax.channel());
      bench.print("creating %,d entities", ENTITIES);
      var all = measurements(hapax, claims, claims.create(ENTITIES));
      bench.measure(all.list());
      report(all);
      if (abandoned > 0) {
        sweep(claims, all.pairs());
      }
    }
  }

  private record Measurements(
      Measurement operations,
      Measurement pairs,
      Measurement spread,
      Measurement one,
      Measurement wal) {
    List<Measurement> list() {
      return List.of(operations, pairs, spread, one, wal);
    }
  }

  private Measurements measurements(
      ServerProcess hapax, ClaimLoad claims, ClaimLoad.Entities entities)
      throws InterruptedException {
    var one = claims.create(1);
    var wal = new double[1];
    return new Measurements(
        rate("pairs of operations", IN_FLIGHT, new OperationLoad(hapax.channel())::pair),
        new Measurement(
            "pairs of actions",
            "/s",
            () -> bench.measureRate(IN_FLIGHT, claims.actOn(entities), wal)),
        rate("1,000 callers, an entity each", CALLERS, claims.actOn(entities)),
        rate("1,000 callers, one entity", CALLERS, claims.actOn(one)),
        new Measurement("write-ahead log of a pair of actions", "bytes", () -> wal[0]));
  }

  private Measurement rate(String name, int lanes, ClosedLoopLoad.Turn turn) {
    return new Measurement(name, "/s", () -> ClosedLoopLoad.measureRate(lanes, bench.time(), turn));
  }

  private void report(Measurements all) {
    bench.printTable(all.list());
    bench.print("%nratios, round by round, their medians:");
    bench.printRatio(
        "pairs of actions to operations", all.pairs(), all.operations(), "at least 0.5");
    bench.printRatio("one entity to an entity each", all.one(), all.spread(), "at least 0.5");
  }

  /** Measures how a hosted janitor reclaims many expired entities under load. */
  private void sweep(ClaimLoad claims, Measurement pairs) throws Exception {
    bench.print("%ncreating and claiming %,d entities", abandoned);
    var entities = claims.create(abandoned);
    var end = System.nanoTime() + CLAIM_TIME.toNanos();
    claims.abandon(entities, end);
    bench.print("%,d claims expire in %d s", abandoned, (end - System.nanoTime()) / 1_000_000_000);
    var before = new ArrayList<Double>();
    var during = new ArrayList<Double>();
    while (System.nanoTime() < end) {
      before.add(pairs.measureRound());
    }
    double left;
    do {
      during.add(pairs.measureRound());
      left =
          bench.queryNumber(
              "SELECT count(*) FROM hapax.entity WHERE lease_until < clock_timestamp()");
      bench.print("%,.0f expired claims are left", left);
    } while (left > 0);
    var seconds = (System.nanoTime() - end) / 1e9;
    bench.printFigure(
        "all reclaimed after, s",
        seconds,
        String.format(Locale.ROOT, "at most %d", ClaimLoad.EVERY.toSeconds() + 30));
    bench.printFigure(
        "rate during the sweep to before", mean(during) / mean(before), "at least 0.8");
  }

  private static double mean(List<Double> rates) {
    return rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
