package dev.hapax.bench;

import dev.hapax.client.Codec;
import dev.hapax.client.Definition;
import dev.hapax.client.Handler;
import dev.hapax.client.Hapax;
import dev.hapax.client.Task;
import dev.hapax.client.Value;
import dev.hapax.v1.RunStatus;
import io.grpc.ClientInterceptors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** {@code hapax bench parts}. */
record PartsBench(BenchServers bench) {
  private static final int POLLS = 100;
  private static final int PER_CALL = 100;
  private static final int INSERTS = 400;
  private static final int WAITS = 3;
  private static final Value RESULT = new Value.Json(OperationLoad.RESULT);

  /** Longer than the record of its end takes, without which there is no suspension. */
  private static final Duration WAIT = Duration.ofMillis(500);

  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  void run() throws Exception {
    try (var hapax = bench.serve();
        var jdbc = JdbcBaseline.ofInserts(bench.database())) {
      new PartCosts(bench, hapax, jdbc).measure();
      measureGrants(hapax);
      measureWorkflows(hapax, jdbc);
    }
  }

  private void measureGrants(ServerProcess hapax) throws SQLException {
    bench.print(
        "%n| grant of | task, bytes | calls of ListRecords | commits of these |"
            + " poll, p50 ms | p99 | with all pages, p50 ms | p99 |");
    bench.print("| --- | --: | --: | --: | --: | --: | --: | --: |");
    var small = OperationLoad.RESULT;
    var large = '"' + "x".repeat(300) + '"';
    measureGrant(hapax, "no record", 0, small);
    measureGrant(hapax, "1,000 records of 100 bytes", 1_000, small);
    measureGrant(hapax, "10,000 records of 100 bytes", 10_000, small);
    measureGrant(hapax, "10,000 records of 300 bytes", 10_000, large);
  }

  private void measureGrant(ServerProcess hapax, String name, int records, String json)
      throws SQLException {
    var worker = new PartWorker(hapax.channel(), "grants-" + records + "-" + json.length());
    worker.start();
    for (var from = 0; from < records; from += PER_CALL) {
      var _ =
          worker.report(
              IntStream.range(from, from + PER_CALL)
                  .mapToObj(part -> PartWorker.output("part-" + part, json))
                  .toList());
    }
    var polls = new LatencyRecorder();
    var replays = new LatencyRecorder();
    var commits = 0.0;
    var bytes = 0;
    var pages = 0;
    for (var poll = -POLLS / 4; poll < POLLS; poll++) {
      worker.release();
      var begin = System.nanoTime();
      var task = worker.poll();
      var isMeasured = poll >= 0;
      if (isMeasured) {
        polls.recordSince(begin);
      }
      var before = bench.commits();
      var resumed = System.nanoTime();
      pages = worker.readPages(task);
      if (isMeasured) {
        replays.recordSince(resumed);
        commits += bench.commits() - before;
        bytes = task.getSerializedSize();
      }
    }
    // a record is the next new part; a claim that was lost would fail here
    worker.record("new");
    bench.print(
        "| %s | %,d | %d | %.0f in %d | %s | %s |",
        name, bytes, pages, commits, POLLS, percentiles(polls), percentiles(replays));
  }

  private static String percentiles(LatencyRecorder latencies) {
    var all = latencies.histogram();
    return String.format(
        Locale.ROOT,
        "%.1f | %.1f",
        all.getValueAtPercentile(50) / 1e3,
        all.getValueAtPercentile(99) / 1e3);
  }

  /** What a whole run took, in milliseconds and calls of RecordStep. */
  private record Ran(double millis, long calls) {}

  private interface Timed {
    Ran once() throws Exception;
  }

  private void measureWorkflows(ServerProcess hapax, JdbcBaseline jdbc) throws Exception {
    var meter = new MessageMeter();
    var client =
        Hapax.builder(Map.of())
            .channel(ClientInterceptors.intercept(hapax.channel(), meter))
            .connect();
    bench.print("%n| with the Java client | ms | to 400 INSERTs | calls of RecordStep |");
    bench.print("| --- | --: | --: | --: |");
    var inserts =
        median(
            () -> {
              var begin = System.nanoTime();
              for (var row = 0; row < INSERTS; row++) {
                jdbc.insert();
              }
              return new Ran(millisSince(begin), 0);
            });
    print("400 INSERTs over JDBC, one after the other", inserts, inserts);
    measureWaits(client, meter, inserts);
    measureResume(client, meter, inserts);
    for (var branches : new int[] {10, 64, 256}) {
      measureMap(client, meter, inserts, branches);
    }
  }

  private void measureWaits(Hapax client, MessageMeter meter, Ran inserts) throws Exception {
    var lastBody = new AtomicLong();
    var executions = new AtomicInteger();
    Handler workflow =
        task -> {
          executions.incrementAndGet();
          recordAll(task, 400, lastBody);
          for (var wait = 1; wait <= WAITS; wait++) {
            task.suspend("wait-" + wait, WAIT);
          }
          return RESULT;
        };
    var waited = WAIT.toMillis() * WAITS;
    try (var _ = worker(client, "waits", workflow)) {
      var whole = median(() -> timed(client, "waits", meter));
      print("400 records and three waits of 500 ms, whole run", whole, inserts);
      executions.set(0);
      var resumed =
          median(
              () -> {
                var _ = timed(client, "waits", meter);
                return new Ran(millisSince(lastBody.get()) - waited, WAITS);
              });
      print("the same after its last record, without the 1,500 ms", resumed, inserts);
      if (executions.get() < (WAITS + 1) * (bench.rounds() + 1)) {
        throw new IllegalStateException("a wait ended without a suspension");
      }
    }
  }

  private void measureResume(Hapax client, MessageMeter meter, Ran inserts) throws Exception {
    Handler workflow =
        task -> {
          recordAll(task, 1_000, new AtomicLong());
          return new Value.Json(task.awaitSignal("go", Codec.jsonText()));
        };
    try (var _ = worker(client, "resumes", workflow)) {
      var resumed =
          median(
              () -> {
                var run = start(client, "resumes");
                while (client.runs().get(run).status() != RunStatus.RUN_STATUS_WAITING) {
                  Thread.sleep(20);
                }
                var calls = meter.records();
                var begin = System.nanoTime();
                var _ = client.runs().signal(run, "go", null);
                var _ = client.runs().result(run, Codec.jsonText(), TIMEOUT);
                return new Ran(millisSince(begin), meter.records() - calls);
              });
      print("1,000 records, from the signal to the end", resumed, inserts);
    }
  }

  private void measureMap(Hapax client, MessageMeter meter, Ran inserts, int branches)
      throws Exception {
    var items = IntStream.range(0, 1_000).mapToObj(Integer::toString).toList();
    var name = "map-" + branches;
    Handler workflow =
        task -> {
          List<String> values =
              task.map(
                  "item",
                  items,
                  item -> item,
                  branches,
                  (branch, item) ->
                      branch.record("part", Codec.jsonText(), _ -> OperationLoad.RESULT));
          return new Value.Json(Integer.toString(values.size()));
        };
    try (var _ = worker(client, name, workflow)) {
      var mapped = median(() -> timed(client, name, meter));
      print("map of 1,000 short parts, " + branches + " branches, whole run", mapped, inserts);
    }
  }

  private static void recordAll(Task task, int parts, AtomicLong lastBody) throws Exception {
    for (var part = 0; part < parts; part++) {
      var _ =
          task.record(
              "part-" + part,
              Codec.jsonText(),
              _ -> {
                lastBody.set(System.nanoTime());
                return OperationLoad.RESULT;
              });
    }
  }

  private static AutoCloseable worker(Hapax client, String name, Handler workflow) {
    var _ = client.definitions().register(Definition.of(name, "1").code("main", name));
    return client.worker().concurrency(64).step(name, name, "main", workflow).start();
  }

  private static String start(Hapax client, String name) {
    return client.runs().start(name).run().id();
  }

  /** Starts a run and waits for its end. */
  private static Ran timed(Hapax client, String name, MessageMeter meter) {
    var calls = meter.records();
    var begin = System.nanoTime();
    var _ = client.runs().result(start(client, name), Codec.jsonText(), TIMEOUT);
    return new Ran(millisSince(begin), meter.records() - calls);
  }

  private static double millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e6;
  }

  /** The medians of all rounds, after one for warm-up. */
  private Ran median(Timed timed) throws Exception {
    var _ = timed.once();
    var millis = new double[bench.rounds()];
    var calls = new double[bench.rounds()];
    for (var round = 0; round < bench.rounds(); round++) {
      var ran = timed.once();
      millis[round] = ran.millis();
      calls[round] = ran.calls();
    }
    return new Ran(Spread.of(millis).median(), Math.round(Spread.of(calls).median()));
  }

  private void print(String name, Ran ran, Ran inserts) {
    bench.print(
        "| %s | %,.0f | %.1f | %,d |",
        name, ran.millis(), ran.millis() / inserts.millis(), ran.calls());
  }
}
