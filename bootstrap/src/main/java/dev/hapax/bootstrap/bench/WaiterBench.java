package dev.hapax.bootstrap.bench;

import com.google.protobuf.Duration;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** What calls cost that only wait, and what a server asks its database when nobody asks it. */
final class WaiterBench {
  private static final int WAITING = 10_000;
  private static final int LOOKS = 7;
  private static final java.time.Duration LOOK = java.time.Duration.ofSeconds(3);
  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  private final ServerProcess server;
  private final Numbers database;

  /** Asks the database for a number. */
  interface Numbers {
    double of(String sql) throws Exception;
  }

  WaiterBench(ServerProcess server, Numbers database) {
    this.server = server;
    this.database = database;
  }

  /**
   * The figures.
   *
   * @param connections how many more the database has while they wait
   * @param heapBytes how much more heap the server uses while they wait
   * @param idleQueries a second, with all of them waiting and nothing to do
   */
  record Figures(double connections, double heapBytes, double idleQueries) {}

  Figures measure() throws Exception {
    var key = OperationLoad.newKey();
    var stub = OperationServiceGrpc.newStub(server.channel());
    OperationServiceGrpc.newBlockingStub(server.channel())
        .beginOperation(OperationLoad.request(key).build());
    var connections = connections();
    var heap = heap();
    var asked = new LongAdder();
    var answered = new CountDownLatch(WAITING);
    for (var i = 0; i < WAITING; i++) {
      var wait = Duration.newBuilder().setSeconds(30);
      stub.beginOperation(
          OperationLoad.request(key).setWait(wait).build(), new Counting(asked, answered));
    }
    // all of them are parked once the server has been asked for something sent after them
    OperationServiceGrpc.newBlockingStub(server.channel())
        .beginOperation(OperationLoad.request(key).build());
    var figures = new Figures(connections() - connections, heap() - heap, idleQueries());
    if (!answered.await(60, TimeUnit.SECONDS) || asked.sum() != WAITING) {
      throw new IllegalStateException(
          "%d of %d waits were answered".formatted(asked.sum(), WAITING));
    }
    return figures;
  }

  private static final class Counting implements StreamObserver<BeginOperationResponse> {
    private final LongAdder held;
    private final CountDownLatch ended;

    Counting(LongAdder held, CountDownLatch ended) {
      this.held = held;
      this.ended = ended;
    }

    @Override
    public void onNext(BeginOperationResponse answer) {
      if (answer.hasInProgress()) {
        held.increment();
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
    return database.of("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hapax'");
  }

  /** The median of several looks: a vacuum of the database's own counts as queries, too. */
  private double idleQueries() throws Exception {
    var transactions =
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    var rates = new double[LOOKS];
    for (var i = 0; i < LOOKS; i++) {
      var before = database.of(transactions);
      // the time is what is measured
      Thread.sleep(LOOK);
      // without the one that asked before
      rates[i] = (database.of(transactions) - before - 1) / LOOK.toSeconds();
    }
    Arrays.sort(rates);
    return rates[LOOKS / 2];
  }

  /** After a collection, in bytes. */
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
