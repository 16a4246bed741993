package dev.hapax.bench;

import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Measures the effect on a workspace of another one that calls four times as often as its limit
 * allows.
 */
record NoisyNeighborBench(BenchServers bench) {
  private static final int CALLS_PER_SECOND = 2_000;
  private static final double NOISY_CALLS_PER_SECOND = 4.0 * CALLS_PER_SECOND;
  private static final double QUIET_PAIRS_PER_SECOND = 500;
  private static final int PERCENTILE = 99;
  private static final double MICROS_PER_MILLI = 1_000;

  void run() throws Exception {
    try (var server =
        bench.serve(
            "--committers",
            "2",
            "--calls-per-second-per-workspace",
            Integer.toString(CALLS_PER_SECOND))) {
      var neighbor = ServerProcess.connect(server.address());
      try {
        compare(new OperationLoad(server.channel()), new BenchCalls(neighbor));
      } finally {
        neighbor.shutdownNow();
      }
    }
  }

  private void compare(OperationLoad quiet, BenchCalls noisy) throws Exception {
    var alone = new Measurement("p99 of pairs, alone", "µs", () -> p99(quiet));
    var beside =
        new Measurement("p99 of pairs, noisy neighbor", "µs", () -> p99Beside(quiet, noisy));
    var all = List.of(alone, beside);
    bench.measure(all);
    bench.printTable(all);
    bench.print("%nratio, round by round, its median:");
    bench.printRatio("beside a noisy neighbor to alone", beside, alone, "at most 2");
  }

  private double p99(OperationLoad quiet) throws InterruptedException {
    return MICROS_PER_MILLI
        * OpenLoopLoad.latencyMillis(PERCENTILE, QUIET_PAIRS_PER_SECOND, bench.time(), quiet::pair);
  }

  private double p99Beside(OperationLoad quiet, BenchCalls noisy) throws Exception {
    var noise =
        CompletableFuture.runAsync(
            () -> {
              try {
                OpenLoopLoad.run(
                    NOISY_CALLS_PER_SECOND, bench.time(), (_, _, next) -> begin(noisy, next));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    var p99 = p99(quiet);
    noise.join();
    return p99;
  }

  /** A call that the limit refuses is what this neighbor is for. */
  private static void begin(BenchCalls noisy, ClosedLoopLoad.Next next) {
    noisy.send(
        OperationServiceGrpc.getBeginOperationMethod(),
        OperationLoad.request(OperationLoad.newKey()).setWorkspace("bench-noisy").build(),
        new ClosedLoopLoad.Next() {
          @Override
          public void done() {
            next.done();
          }

          @Override
          public void failed(Throwable cause) {
            if (Status.fromThrowable(cause).getCode() == Status.Code.RESOURCE_EXHAUSTED) {
              next.done();
            } else {
              next.failed(cause);
            }
          }
        },
        (BeginOperationResponse _) -> next.done());
  }
}
