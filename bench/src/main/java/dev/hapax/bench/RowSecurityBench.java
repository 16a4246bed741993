package dev.hapax.bench;

import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import java.util.List;
import java.util.Locale;

/** {@code hapax bench row-level-security}. */
record RowSecurityBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;
  private static final int WORKSPACES = 256;
  private static final int READERS = 16;

  void run() throws Exception {
    try (var off = bench.serve("--row-level-security", "off");
        var on = bench.serve("--row-level-security", "on")) {
      var pairsOff = pairs("off", off, 1);
      var pairsOn = pairs("on", on, 1);
      var mixedOff = pairs("off", off, WORKSPACES);
      var mixedOn = pairs("on", on, WORKSPACES);
      var readsOff = reads("off", off);
      var readsOn = reads("on", on);
      var all = List.of(pairsOff, pairsOn, mixedOff, mixedOn, readsOff, readsOn);
      bench.measure(all);
      bench.printTable(all);
      bench.print("%nratios, round by round, their medians:");
      bench.printRatio("pairs, one workspace", pairsOn, pairsOff, "at least 0.95");
      bench.printRatio("pairs, 256 workspaces", mixedOn, mixedOff, "at least 0.85");
      bench.printRatio("reads", readsOn, readsOff, "at least 0.95");
    }
  }

  private Measurement pairs(String name, ServerProcess server, int workspaces) {
    var load = new OperationLoad(server.channel(), workspaces);
    return new Measurement(
        String.format(Locale.ROOT, "pairs in %d workspaces, %s", workspaces, name),
        "pairs/s",
        () -> ClosedLoopLoad.measureRate(IN_FLIGHT, bench.time(), load::pair));
  }

  /** Reads a finished operation, which looks in both tables. */
  private Measurement reads(String name, ServerProcess server) {
    var calls = new BenchCalls(server.channel());
    var finished = OperationsBench.finishedKey(server);
    return new Measurement(
        "reads, " + name,
        "calls/s",
        () ->
            ClosedLoopLoad.measureRate(
                READERS,
                bench.time(),
                (_, next) ->
                    calls.send(
                        OperationServiceGrpc.getGetOperationMethod(),
                        request(finished),
                        next,
                        (GetOperationResponse _) -> next.done())));
  }

  private static GetOperationRequest request(String key) {
    return GetOperationRequest.newBuilder()
        .setAccount(OperationLoad.ACCOUNT)
        .setOperation(OperationLoad.OPERATION)
        .setRequestId(key)
        .build();
  }
}
