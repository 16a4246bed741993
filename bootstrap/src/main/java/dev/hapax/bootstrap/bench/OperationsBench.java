package dev.hapax.bootstrap.bench;

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
        var echo = ServerProcess.start("bench", "echo-server")) {
      var sides = sides(jdbc, hapax, single, echo);
      bench.measure(sides.all());
      bench.say("waiting: 10,000 Begins on one key, then idle for 21 s");
      var waits = new WaiterBench(hapax, bench::number).measure();
      report(sides, waits);
    }
  }

  private record Sides(
      Measurement jdbc,
      Measurement pairs,
      Measurement single,
      Measurement echo,
      Measurement replay,
      Measurement spread,
      Measurement oneKey,
      Measurement wal) {
    List<Measurement> all() {
      return List.of(jdbc, pairs, single, echo, replay, spread, oneKey, wal);
    }
  }

  private Sides sides(
      JdbcBaseline jdbc, ServerProcess hapax, ServerProcess single, ServerProcess echo) {
    var time = bench.time();
    var load = new OperationLoad(hapax.channel());
    var batchesOfOne = new OperationLoad(single.channel());
    var echoes = new BenchCalls(echo.channel());
    var finished = finishedKey(hapax);
    var walPerPair = new double[1];
    return new Sides(
        new Measurement("pairs, plain JDBC", "pairs/s", () -> jdbc.pairs(time)),
        new Measurement(
            "pairs, hapax", "pairs/s", () -> bench.rate(IN_FLIGHT, load::pair, walPerPair)),
        new Measurement(
            "pairs, hapax in batches of one",
            "pairs/s",
            () -> ClosedLoopLoad.rate(IN_FLIGHT, time, batchesOfOne::pair)),
        new Measurement(
            "echo", "calls/s", () -> ClosedLoopLoad.rate(IN_FLIGHT, time, echo(echoes))),
        new Measurement(
            "replay",
            "calls/s",
            () -> ClosedLoopLoad.rate(IN_FLIGHT, time, load.beginSame(finished))),
        new Measurement(
            "begin, 1,000 callers, a key each",
            "calls/s",
            () -> ClosedLoopLoad.rate(CALLERS, time, load::beginNew)),
        new Measurement(
            "begin, 1,000 callers, one key",
            "calls/s",
            () -> ClosedLoopLoad.rate(CALLERS, time, load.beginSame(OperationLoad.newKey()))),
        new Measurement("write-ahead log of a pair", "bytes", () -> walPerPair[0]));
  }

  private static ClosedLoopLoad.Turn echo(BenchCalls load) {
    return (_, next) ->
        load.send(EchoServer.METHOD, Empty.getDefaultInstance(), next, _ -> next.done());
  }

  private static String finishedKey(ServerProcess hapax) {
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

  private void report(Sides sides, WaiterBench.Figures waits) {
    bench.table(sides.all());
    bench.say("%nratios, round by round, their medians:");
    bench.ratio("pairs to plain JDBC", sides.pairs(), sides.jdbc(), "at least 2");
    bench.ratio("pairs to batches of one", sides.pairs(), sides.single(), "at least 3");
    bench.ratio("replays to echo", sides.replay(), sides.echo(), "at least 0.33");
    bench.ratio("one key to a key each", sides.oneKey(), sides.spread(), "at least 0.5");
    bench.say("%nothers:");
    bench.figure("write-ahead log of a pair, bytes", sides.wal().median(), "at most 922");
    bench.figure("10,000 waits: connections more", waits.connections(), "0");
    bench.figure("10,000 waits: heap more, MiB", waits.heapBytes() / (1 << 20), "under 100");
    bench.figure("idle with 10,000 waits: queries/s", waits.idleQueries(), "at most 1");
    bench.figure("heap of each server, MiB at most", 256, "256");
  }
}
