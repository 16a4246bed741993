package dev.hapax.bootstrap.bench;

import dev.hapax.v1.OnConflict;
import java.util.List;

/** {@code hapax bench hooks}. */
record HooksBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;
  private static final int CALLERS = 1_000;

  void run() throws Exception {
    try (var hapax = bench.serve()) {
      var sides = sides(hapax);
      bench.measure(sides.all());
      report(sides);
    }
  }

  private record Sides(
      Measurement plain,
      Measurement token,
      Measurement begin,
      Measurement signal,
      Measurement spread,
      Measurement rejected,
      Measurement superseded,
      Measurement wal) {
    List<Measurement> all() {
      return List.of(plain, token, begin, signal, spread, rejected, superseded, wal);
    }
  }

  private Sides sides(ServerProcess hapax) {
    var channel = hapax.channel();
    var hooks = new HookLoad(channel);
    var signal = hooks.signal();
    var wal = new double[1];
    return new Sides(
        side("StartRun", IN_FLIGHT, RunLoad.unworked(channel, "plain", 1)::start, new double[1]),
        side("StartRun with a fresh token", IN_FLIGHT, hooks::startFresh, wal),
        side("Begin", IN_FLIGHT, new OperationLoad(channel)::beginNew, new double[1]),
        side("SignalHook", IN_FLIGHT, signal, new double[1]),
        side("1,000 callers, a token each", CALLERS, hooks::startFresh, new double[1]),
        side(
            "1,000 callers, one token, REJECT",
            CALLERS,
            hooks.startShared(OnConflict.ON_CONFLICT_REJECT),
            new double[1]),
        side(
            "1,000 callers, one token, SUPERSEDE",
            CALLERS,
            hooks.startShared(OnConflict.ON_CONFLICT_SUPERSEDE),
            new double[1]),
        new Measurement("write-ahead log of a start with token", "bytes", () -> wal[0]));
  }

  private Measurement side(String name, int lanes, ClosedLoopLoad.Turn turn, double[] wal) {
    return new Measurement(name, "/s", () -> bench.rate(lanes, turn, wal));
  }

  private void report(Sides sides) {
    bench.table(sides.all());
    bench.say("%nratios, round by round, their medians:");
    bench.ratio("with a fresh token to without", sides.token(), sides.plain(), "at least 0.7");
    bench.ratio("SignalHook to Begin", sides.signal(), sides.begin(), "at least 0.6");
    bench.ratio("one token, REJECT, to spread", sides.rejected(), sides.spread(), "at least 0.5");
    bench.ratio(
        "one token, SUPERSEDE, to spread", sides.superseded(), sides.spread(), "at least 0.25");
  }
}
