package dev.hapax.bootstrap.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code hapax bench claims}. */
record ClaimsBench(BenchServers bench, int abandoned) {
  private static final int IN_FLIGHT = 256;
  private static final int CALLERS = 1_000;
  private static final int ENTITIES = 20_000;

  /** Time to claim those that are abandoned, before their leases end. */
  private static final Duration AHEAD = Duration.ofSeconds(60);

  void run() throws Exception {
    try (var hapax = bench.serve()) {
      var claims = new ClaimLoad(hapax.channel());
      bench.say("creating %,d entities", ENTITIES);
      var sides = sides(hapax, claims, claims.create(ENTITIES));
      bench.measure(sides.all());
      report(sides);
      if (abandoned > 0) {
        sweep(claims, sides.pairs());
      }
    }
  }

  private record Sides(
      Measurement operations,
      Measurement pairs,
      Measurement spread,
      Measurement one,
      Measurement wal) {
    List<Measurement> all() {
      return List.of(operations, pairs, spread, one, wal);
    }
  }

  private Sides sides(ServerProcess hapax, ClaimLoad claims, ClaimLoad.Entities entities)
      throws InterruptedException {
    var one = claims.create(1);
    var wal = new double[1];
    return new Sides(
        side("pairs of operations", IN_FLIGHT, new OperationLoad(hapax.channel())::pair),
        new Measurement(
            "pairs of actions", "/s", () -> bench.rate(IN_FLIGHT, claims.actOn(entities), wal)),
        side("1,000 callers, an entity each", CALLERS, claims.actOn(entities)),
        side("1,000 callers, one entity", CALLERS, claims.actOn(one)),
        new Measurement("write-ahead log of a pair of actions", "bytes", () -> wal[0]));
  }

  private Measurement side(String name, int lanes, ClosedLoopLoad.Turn turn) {
    return new Measurement(name, "/s", () -> ClosedLoopLoad.rate(lanes, bench.time(), turn));
  }

  private void report(Sides sides) {
    bench.table(sides.all());
    bench.say("%nratios, round by round, their medians:");
    bench.ratio(
        "pairs of actions to operations", sides.pairs(), sides.operations(), "at least 0.5");
    bench.ratio("one entity to an entity each", sides.one(), sides.spread(), "at least 0.5");
  }

  /** Many claims whose leases end at once, taken back by a hosted janitor under load. */
  private void sweep(ClaimLoad claims, Measurement pairs) throws Exception {
    bench.say("%ncreating and claiming %,d entities", abandoned);
    var entities = claims.create(abandoned);
    var end = System.nanoTime() + AHEAD.toNanos();
    claims.abandon(entities, end);
    bench.say("%,d claims end in %d s", abandoned, (end - System.nanoTime()) / 1_000_000_000);
    var before = new ArrayList<Double>();
    var during = new ArrayList<Double>();
    while (System.nanoTime() < end) {
      before.add(pairs.round());
    }
    double left;
    do {
      during.add(pairs.round());
      left =
          bench.number("SELECT count(*) FROM hapax.entity WHERE lease_until < clock_timestamp()");
      bench.say("%,.0f are left", left);
    } while (left > 0);
    var seconds = (System.nanoTime() - end) / 1e9;
    bench.figure(
        "all back after, s", seconds, "at most %d".formatted(ClaimLoad.EVERY.toSeconds() + 30));
    bench.figure("hot path to before", mean(during) / mean(before), "at least 0.8");
  }

  private static double mean(List<Double> rates) {
    return rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
