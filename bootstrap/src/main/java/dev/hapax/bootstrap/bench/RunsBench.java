package dev.hapax.bootstrap.bench;

import java.time.Duration;
import java.util.List;

/** {@code hapax bench runs}. */
record RunsBench(BenchServers bench, int full, Duration oldSnapshot) {
  private static final int IN_FLIGHT = 256;
  private static final int MANY_STEPS = 10;
  private static final double[] NOWHERE = new double[1];

  void run() throws Exception {
    try (var hapax = bench.serve();
        var single = bench.serveOneByOne();
        var jdbc = JdbcBaseline.ofInserts(bench.database())) {
      var sides = sides(jdbc, hapax, single);
      bench.measure(sides.all());
      report(sides, latencies(sides, hapax));
      if (full > 0) {
        fill(sides, hapax);
      }
      if (oldSnapshot.isPositive()) {
        holdOldSnapshot(sides, hapax);
      }
    }
  }

  /** The same sides again, on the same server, over tables that are no longer empty. */
  private void fill(Sides empty, ServerProcess hapax) throws Exception {
    new FullTables(bench).fill("one", full, "starts", full / 10);
    var again =
        List.of(
            side("StartRun, full", RunLoad.unworked(hapax.channel(), "starts", 1)::start, NOWHERE),
            side("one-step runs, full", RunLoad.worked(hapax.channel(), "full", 1)::run, NOWHERE));
    bench.measure(again);
    bench.table(again);
    bench.say("%nmedians over full tables to those before:");
    bench.figure("StartRun", again.getFirst().median() / empty.starts().median(), "at least 0.8");
    bench.figure(
        "one-step runs", again.getLast().median() / empty.oneStep().median(), "at least 0.8");
  }

  private void holdOldSnapshot(Sides sides, ServerProcess hapax) throws Exception {
    var rate = sides.oneStep().median() / 3;
    var runs = RunLoad.worked(hapax.channel(), "held", 1);
    bench.say("%nat %,.0f one-step runs a second:", rate);
    var free = OpenLoopLoad.median(rate, bench.time(), runs::run);
    bench.figure("p50 with nothing held, ms", free, "");
    var held =
        new FullTables(bench)
            .withOldSnapshot(
                () -> {
                  bench.say("an old snapshot is held for %d minutes", oldSnapshot.toMinutes());
                  var _ = OpenLoopLoad.median(rate, oldSnapshot, runs::run);
                  return OpenLoopLoad.median(rate, bench.time(), runs::run);
                });
    bench.figure("p50 then, ms", held, "");
    bench.figure("p50 then to before", held / free, "at most 1.2");
  }

  private record Sides(
      Measurement inserts,
      Measurement starts,
      Measurement startsSingle,
      Measurement oneStep,
      Measurement oneStepSingle,
      Measurement tenSteps,
      Measurement tenStepsSingle,
      Measurement pairs,
      Measurement walStart,
      Measurement walOneStep,
      Measurement walTenSteps) {
    List<Measurement> all() {
      return List.of(
          inserts,
          starts,
          startsSingle,
          oneStep,
          oneStepSingle,
          tenSteps,
          tenStepsSingle,
          pairs,
          walStart,
          walOneStep,
          walTenSteps);
    }
  }

  private Sides sides(JdbcBaseline jdbc, ServerProcess hapax, ServerProcess single) {
    var walStart = new double[1];
    var walOne = new double[1];
    var walTen = new double[1];
    // queues of their own, or one server's workers would do the other one's steps
    return new Sides(
        new Measurement("INSERT, plain JDBC", "/s", () -> jdbc.inserts(bench.time())),
        side("StartRun", RunLoad.unworked(hapax.channel(), "starts", 1)::start, walStart),
        side(
            "StartRun, batches of one",
            RunLoad.unworked(single.channel(), "single-starts", 1)::start,
            NOWHERE),
        side("one-step runs", RunLoad.worked(hapax.channel(), "one", 1)::run, walOne),
        side(
            "one-step runs, batches of one",
            RunLoad.worked(single.channel(), "single-one", 1)::run,
            NOWHERE),
        side("ten-step runs", RunLoad.worked(hapax.channel(), "ten", MANY_STEPS)::run, walTen),
        side(
            "ten-step runs, batches of one",
            RunLoad.worked(single.channel(), "single-ten", MANY_STEPS)::run,
            NOWHERE),
        side("operation pairs", new OperationLoad(hapax.channel())::pair, NOWHERE),
        new Measurement("write-ahead log of a StartRun", "bytes", () -> walStart[0]),
        new Measurement("write-ahead log of a one-step run", "bytes", () -> walOne[0]),
        new Measurement("write-ahead log of a ten-step run", "bytes", () -> walTen[0]));
  }

  private Measurement side(String name, ClosedLoopLoad.Turn turn, double[] wal) {
    return new Measurement(name, "/s", () -> bench.rate(IN_FLIGHT, turn, wal));
  }

  /**
   * Medians at half of what either can do.
   *
   * @param run from the start to the end of a one-step run, in milliseconds
   * @param pair from the Begin to the end of the Complete, in milliseconds
   */
  private record Latencies(double run, double pair) {}

  private Latencies latencies(Sides sides, ServerProcess hapax) throws InterruptedException {
    bench.say("latencies at half load, %d s each", bench.time().toSeconds());
    var runs = RunLoad.worked(hapax.channel(), "paced", 1);
    var pairs = new OperationLoad(hapax.channel());
    return new Latencies(
        OpenLoopLoad.median(sides.oneStep().median() / 2, bench.time(), runs::run),
        OpenLoopLoad.median(sides.pairs().median() / 2, bench.time(), pairs::pair));
  }

  private void report(Sides sides, Latencies latencies) {
    bench.table(sides.all());
    bench.say("%nratios, round by round, their medians:");
    bench.ratio("StartRun to an INSERT", sides.starts(), sides.inserts(), "at least 1.6");
    bench.ratio("one step to an INSERT", sides.oneStep(), sides.inserts(), "at least 0.8");
    bench.ratio("ten steps to an INSERT", sides.tenSteps(), sides.inserts(), "at least 0.15");
    bench.ratio("StartRun to batches of one", sides.starts(), sides.startsSingle(), "at least 4");
    bench.ratio("one step to batches of one", sides.oneStep(), sides.oneStepSingle(), "at least 5");
    bench.ratio(
        "ten steps to batches of one", sides.tenSteps(), sides.tenStepsSingle(), "at least 5");
    bench.say("%nlatencies at half load, medians:");
    bench.figure("one-step run, ms", latencies.run(), "");
    bench.figure("operation pair, ms", latencies.pair(), "");
    bench.figure("run to pair", latencies.run() / latencies.pair(), "at most 3");
  }
}
