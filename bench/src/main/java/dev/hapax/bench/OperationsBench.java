package dev.hapax.bench;

import com.google.protobuf.Empty;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import java.util.List;

/** {@code hapax bench operations}. */
record OperationsBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;
  private static final int CALLERS = 1_000;

  void run() throws Exception {
    try (var jdbc = JdbcBaseline.ofPairs(bench.database());
        var hapax = bench.serve();
        var single = bench.serveOneByOne();
        var echo = ServerProcess.echo()) {
      var all = measurements(jdbc, hapax, single, echo);
      bench.measure(all.list());
      bench.print("10,000 Begins wait on one key; the server is idle for 21 s");
      var waits = new WaiterBench(hapax, bench::queryNumber).measure();
      report(all, waits);
    }
  }

  private record Measurements(
      Measurement jdbc,
      Measurement pairs,
      Measurement single,
      Measurement echo,
      Measurement replay,
      Measurement spread,
      Measurement oneKey,
      Measurement wal) {
    List<Measurement> list() {
      return List.of(jdbc, pairs, single, echo, replay, spread, oneKey, wal);
    }
  }

  private Measurements measurements(
      JdbcBaseline jdbc, ServerProcess hapax, ServerProcess single, ServerProcess echo) {
    var time = bench.time();
    var load = new OperationLoad(hapax.channel());
    var batchesOfOne = new OperationLoad(single.channel());
    var echoes = new BenchCalls(echo.channel());
    var finished = finishedKey(hapax);
    var walPerPair = new double[1];
    return new Measurements(
        new Measurement("pairs, plain JDBC", "pairs/s", () -> jdbc.measurePairs(time)),
        new Measurement(
            "pairs, hapax", "pairs/s", () -> bench.measureRate(IN_FLIGHT, load::pair, walPerPair)),
        new Measurement(
            "pairs, hapax in batches of one",
            "pairs/s",
            () -> ClosedLoopLoad.measureRate(IN_FLIGHT, time, batchesOfOne::pair)),
        new Measurement(
            "echo", "calls/s", () -> ClosedLoopLoad.measureRate(IN_FLIGHT, time, echo(echoes))),
        new Measurement(
            "replay",
            "calls/s",
            () -> ClosedLoopLoad.measureRate(IN_FLIGHT, time, load.beginSame(finished))),
        new Measurement(
            "begin, 1,000 callers, a key each",
            "calls/s",
            () -> ClosedLoopLoad.measureRate(CALLERS, time, load::beginNew)),
        new Measurement(
            "begin, 1,000 callers, one key",
            "calls/s",
            () ->
                ClosedLoopLoad.measureRate(CALLERS, time, load.beginSame(OperationLoad.newKey()))),
        new Measurement("write-ahead log of a pair", "bytes", () -> walPerPair[0]));
  }

  private static ClosedLoopLoad.Turn echo(BenchCalls load) {
    return (_, next) ->
        load.send(EchoServer.METHOD, Empty.getDefaultInstance(), next, _ -> next.done());
  }

  static String finishedKey(ServerProcess hapax) {
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

  private void report(Measurements all, WaiterBench.Figures waits) {
    bench.printTable(all.list());
    bench.print("%nratios, round by round, their medians:");
    bench.printRatio("pairs to plain JDBC", all.pairs(), all.jdbc(), "at least 2");
    bench.printRatio("pairs to batches of one", all.pairs(), all.single(), "at least 3");
    bench.printRatio("replays to echo", all.replay(), all.echo(), "at least 0.33");
    bench.printRatio("one key to a key each", all.oneKey(), all.spread(), "at least 0.5");
    bench.print("%nother figures:");
    bench.printFigure("write-ahead log of a pair, bytes", all.wal().median(), "at most 922");
    bench.printFigure("10,000 waits: more connections", waits.connections(), "0");
    bench.printFigure("10,000 waits: more heap, MiB", waits.heapBytes() / (1 << 20), "under 100");
    bench.printFigure("idle with 10,000 waits: queries/s", waits.idleQueries(), "at most 1");
    bench.printFigure("maximum heap of each server, MiB", 256, "256");
  }
}
