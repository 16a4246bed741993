package dev.hapax.bench;

import io.grpc.Channel;
import java.util.List;

/** {@code hapax bench security}. */
record SecurityBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;

  void run() throws Exception {
    // one server at first, since it makes the schema for the key
    try (var open = bench.serve()) {
      var key = BenchKey.create(bench.dataSource());
      try (var closed = bench.serveAuthenticated()) {
        measure(open, closed, key.text());
      }
    }
  }

  private void measure(ServerProcess open, ServerProcess closed, String key) throws Exception {
    var none = pairs("pairs, without credentials", open.channel());
    var keyed = pairs("pairs, API key", BenchKey.with(key, closed.channel()));
    var all = List.of(none, keyed);
    bench.measure(all);
    bench.printTable(all);
    bench.print("%nratios, round by round, their medians:");
    bench.printRatio("API key to none", keyed, none, "at least 0.97");
  }

  private Measurement pairs(String name, Channel channel) {
    var load = new OperationLoad(channel);
    return new Measurement(
        name, "pairs/s", () -> ClosedLoopLoad.measureRate(IN_FLIGHT, bench.time(), load::pair));
  }
}
