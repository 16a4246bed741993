package dev.hapax.bench;

import com.google.protobuf.Duration;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** Measures the cost of waiting calls, and the queries of an idle server. */
final class WaiterBench {
  private static final int WAITING = 10_000;
  private static final int SAMPLES = 7;
  private static final java.time.Duration SAMPLE_TIME = java.time.Duration.ofSeconds(3);
  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  private final ServerProcess server;
  private final NumberQuery database;

  /** Queries the database for a number. */
  interface NumberQuery {
    double run(String sql) throws Exception;
  }

  WaiterBench(ServerProcess server, NumberQuery database) {
    this.server = server;
    this.database = database;
  }

  /**
   * The figures while all calls wait.
   *
   * @param connections additional database connections
   * @param heapBytes additional heap of the server
   * @param idleQueries queries per second
   */
  record Figures(double connections, double heapBytes, double idleQueries) {}

  Figures measure() throws Exception {
    var key = OperationLoad.newKey();
    var stub = OperationServiceGrpc.newStub(server.channel());
    OperationServiceGrpc.newBlockingStub(server.channel())
        .beginOperation(OperationLoad.request(key).build());
    var connections = connections();
    var heap = heap();
    var inProgress = new LongAdder();
    var answered = new CountDownLatch(WAITING);
    for (var i = 0; i < WAITING; i++) {
      var wait = Duration.newBuilder().setSeconds(30);
      stub.beginOperation(
          OperationLoad.request(key).setWait(wait).build(),
          new OutcomeCounter(inProgress, answered));
    }
    // the server answers this call after it has registered all waits sent before it
    OperationServiceGrpc.newBlockingStub(server.channel())
        .beginOperation(OperationLoad.request(key).build());
    var figures = new Figures(connections() - connections, heap() - heap, idleQueries());
    if (!answered.await(60, TimeUnit.SECONDS) || inProgress.sum() != WAITING) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT, "only %d of %d waits ended as IN_PROGRESS", inProgress.sum(), WAITING));
    }
    return figures;
  }

  private static final class OutcomeCounter implements StreamObserver<BeginOperationResponse> {
    private final LongAdder inProgress;
    private final CountDownLatch ended;

    OutcomeCounter(LongAdder inProgress, CountDownLatch ended) {
      this.inProgress = inProgress;
      this.ended = ended;
    }

    @Override
    public void onNext(BeginOperationResponse answer) {
      if (answer.hasInProgress()) {
        inProgress.increment();
      }
    }

    @Override
    public void onError(Throwable cause) {
      ended.countDown();
    }

    @Override
    public void onCompleted() {
      ended.countDown();
    }
  }

  private double connections() throws Exception {
    return database.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hapax'");
  }

  /** Returns the median of several samples, since an autovacuum counts as queries, too. */
  private double idleQueries() throws Exception {
    var transactions =
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    var rates = new double[SAMPLES];
    for (var i = 0; i < SAMPLES; i++) {
      var before = database.run(transactions);
      // the time is what is measured
      Thread.sleep(SAMPLE_TIME);
      // without the query that read the counter
      rates[i] = (database.run(transactions) - before - 1) / SAMPLE_TIME.toSeconds();
    }
    Arrays.sort(rates);
    return rates[SAMPLES / 2];
  }

  /** Returns the used heap after a collection, in bytes. */
  private double heap() throws IOException, InterruptedException {
    jcmd("GC.run");
    var info = USED.matcher(jcmd("GC.heap_info"));
    var kilobytes = 0L;
    while (info.find()) {
      kilobytes += Long.parseLong(info.group(1));
    }
    return kilobytes * 1024.0;
  }

  private String jcmd(String command) throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(server.pid()),
                command)
            .start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }
}
