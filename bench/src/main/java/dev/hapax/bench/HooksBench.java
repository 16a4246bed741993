package dev.hapax.bench;

import dev.hapax.v1.OnConflict;
import java.util.List;

/** {@code hapax bench hooks}. */
record HooksBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;
  private static final int CALLERS = 1_000;

  void run() throws Exception {
    try (var hapax = bench.serve()) {
      var all = measurements(hapax);
      bench.measure(all.list());
      report(all);
    }
  }

  private record Measurements(
      Measurement plain,
      Measurement token,
      Measurement begin,
      Measurement signal,
      Measurement spread,
      Measurement rejected,
      Measurement superseded,
      Measurement wal) {
    List<Measurement> list() {
      return List.of(plain, token, begin, signal, spread, rejected, superseded, wal);
    }
  }

  private Measurements measurements(ServerProcess hapax) {
    var channel = hapax.channel();
    var hooks = new HookLoad(channel);
    var signal = hooks.signal();
    var wal = new double[1];
    return new Measurements(
        rate("StartRun", IN_FLIGHT, RunLoad.unworked(channel, "plain", 1)::start, new double[1]),
        rate("StartRun with a fresh token", IN_FLIGHT, hooks::startFresh, wal),
        rate("Begin", IN_FLIGHT, new OperationLoad(channel)::beginNew, new double[1]),
        rate("SignalHook", IN_FLIGHT, signal, new double[1]),
        rate("1,000 callers, a token each", CALLERS, hooks::startFresh, new double[1]),
        rate(
            "1,000 callers, one token, REJECT",
            CALLERS,
            hooks.startShared(OnConflict.ON_CONFLICT_REJECT),
            new double[1]),
        rate(
            "1,000 callers, one token, SUPERSEDE",
            CALLERS,
            hooks.startShared(OnConflict.ON_CONFLICT_SUPERSEDE),
            new double[1]),
        new Measurement("write-ahead log of a start with token", "bytes", () -> wal[0]));
  }

  private Measurement rate(String name, int lanes, ClosedLoopLoad.Turn turn, double[] wal) {
    return new Measurement(name, "/s", () -> bench.measureRate(lanes, turn, wal));
  }

  private void report(Measurements all) {
    bench.printTable(all.list());
    bench.print("%nratios, round by round, their medians:");
    bench.printRatio("with a fresh token to without", all.token(), all.plain(), "at least 0.7");
    bench.printRatio("SignalHook to Begin", all.signal(), all.begin(), "at least 0.6");
    bench.printRatio("one token, REJECT, to spread", all.rejected(), all.spread(), "at least 0.5");
    bench.printRatio(
        "one token, SUPERSEDE, to spread", all.superseded(), all.spread(), "at least 0.25");
  }
}
