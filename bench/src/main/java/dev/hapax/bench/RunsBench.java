package dev.hapax.bench;

import java.time.Duration;
import java.util.List;

/** {@code hapax bench runs}. */
record RunsBench(BenchServers bench, int full, Duration oldSnapshot) {
  private static final int IN_FLIGHT = 256;
  private static final int MANY_STEPS = 10;
  private static final double[] NO_WAL = new double[1];

  void run() throws Exception {
    try (var hapax = bench.serve();
        var single = bench.serveOneByOne();
        var jdbc = JdbcBaseline.ofInserts(bench.database())) {
      var all = measurements(jdbc, hapax, single);
      bench.measure(all.list());
      report(all, measureLatencies(all, hapax));
      if (full > 0) {
        fill(all, hapax);
      }
      if (oldSnapshot.isPositive()) {
        holdOldSnapshot(all, hapax);
      }
    }
  }

  /** Measures again on the same server, with many runs in the tables. */
  private void fill(Measurements empty, ServerProcess hapax) throws Exception {
    new FullTables(bench).fill("one", full, "starts", full / 10);
    var again =
        List.of(
            rate("StartRun, full", RunLoad.unworked(hapax.channel(), "starts", 1)::start, NO_WAL),
            rate("one-step runs, full", RunLoad.worked(hapax.channel(), "full", 1)::run, NO_WAL));
    bench.measure(again);
    bench.printTable(again);
    bench.print("%nmedians with full tables to those before:");
    bench.printFigure(
        "StartRun", again.getFirst().median() / empty.starts().median(), "at least 0.8");
    bench.printFigure(
        "one-step runs", again.getLast().median() / empty.oneStep().median(), "at least 0.8");
  }

  private void holdOldSnapshot(Measurements all, ServerProcess hapax) throws Exception {
    var rate = all.oneStep().median() / 3;
    var runs = RunLoad.worked(hapax.channel(), "held", 1);
    bench.print("%nat %,.0f one-step runs per second:", rate);
    var free = OpenLoopLoad.medianMillis(rate, bench.time(), runs::run);
    bench.printFigure("p50 without an old snapshot, ms", free, "");
    var held =
        new FullTables(bench)
            .withOldSnapshot(
                () -> {
                  bench.print("holding an old snapshot for %d minutes", oldSnapshot.toMinutes());
                  var _ = OpenLoopLoad.medianMillis(rate, oldSnapshot, runs::run);
                  return OpenLoopLoad.medianMillis(rate, bench.time(), runs::run);
                });
    bench.printFigure("p50 with an old snapshot, ms", held, "");
    bench.printFigure("p50 with to without", held / free, "at most 1.2");
  }

  private record Measurements(
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
    List<Measurement> list() {
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

  private Measurements measurements(JdbcBaseline jdbc, ServerProcess hapax, ServerProcess single) {
    var walStart = new double[1];
    var walOne = new double[1];
    var walTen = new double[1];
    // separate queues: workers of one server must not get tasks of the other's runs
    return new Measurements(
        new Measurement("INSERT, plain JDBC", "/s", () -> jdbc.measureInserts(bench.time())),
        rate("StartRun", RunLoad.unworked(hapax.channel(), "starts", 1)::start, walStart),
        rate(
            "StartRun, batches of one",
            RunLoad.unworked(single.channel(), "single-starts", 1)::start,
            NO_WAL),
        rate("one-step runs", RunLoad.worked(hapax.channel(), "one", 1)::run, walOne),
        rate(
            "one-step runs, batches of one",
            RunLoad.worked(single.channel(), "single-one", 1)::run,
            NO_WAL),
        rate("ten-step runs", RunLoad.worked(hapax.channel(), "ten", MANY_STEPS)::run, walTen),
        rate(
            "ten-step runs, batches of one",
            RunLoad.worked(single.channel(), "single-ten", MANY_STEPS)::run,
            NO_WAL),
        rate("operation pairs", new OperationLoad(hapax.channel())::pair, NO_WAL),
        new Measurement("write-ahead log of a StartRun", "bytes", () -> walStart[0]),
        new Measurement("write-ahead log of a one-step run", "bytes", () -> walOne[0]),
        new Measurement("write-ahead log of a ten-step run", "bytes", () -> walTen[0]));
  }

  private Measurement rate(String name, ClosedLoopLoad.Turn turn, double[] wal) {
    return new Measurement(name, "/s", () -> bench.measureRate(IN_FLIGHT, turn, wal));
  }

  /**
   * Median latencies in milliseconds at half of the peak rate.
   *
   * @param run from StartRun to the end of a one-step run
   * @param pair from Begin to the answer to Complete
   */
  private record Latencies(double run, double pair) {}

  private Latencies measureLatencies(Measurements all, ServerProcess hapax)
      throws InterruptedException {
    bench.print("latencies at half load, %d s each", bench.time().toSeconds());
    var runs = RunLoad.worked(hapax.channel(), "paced", 1);
    var pairs = new OperationLoad(hapax.channel());
    return new Latencies(
        OpenLoopLoad.medianMillis(all.oneStep().median() / 2, bench.time(), runs::run),
        OpenLoopLoad.medianMillis(all.pairs().median() / 2, bench.time(), pairs::pair));
  }

  private void report(Measurements all, Latencies latencies) {
    bench.printTable(all.list());
    bench.print("%nratios, round by round, their medians:");
    bench.printRatio("StartRun to an INSERT", all.starts(), all.inserts(), "at least 1.6");
    bench.printRatio("one step to an INSERT", all.oneStep(), all.inserts(), "at least 0.8");
    bench.printRatio("ten steps to an INSERT", all.tenSteps(), all.inserts(), "at least 0.15");
    bench.printRatio("StartRun to batches of one", all.starts(), all.startsSingle(), "at least 4");
    bench.printRatio(
        "one step to batches of one", all.oneStep(), all.oneStepSingle(), "at least 5");
    bench.printRatio(
        "ten steps to batches of one", all.tenSteps(), all.tenStepsSingle(), "at least 5");
    bench.print("%nlatencies at half load, medians:");
    bench.printFigure("one-step run, ms", latencies.run(), "");
    bench.printFigure("operation pair, ms", latencies.pair(), "");
    bench.printFigure("run to pair", latencies.run() / latencies.pair(), "at most 3");
  }
}
