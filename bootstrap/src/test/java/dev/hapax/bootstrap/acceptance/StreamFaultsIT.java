package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.OnceOutcome;
import dev.hapax.client.Operation;
import dev.hapax.client.Value;
import dev.hapax.client.Worker;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streams of the Java client that break while runs and operations are under way. */
@Tag("fault")
@Tag("long")
class StreamFaultsIT {
  private static final int RUNS = 300;
  private static final Duration LONG = Duration.ofMinutes(2);

  private final Deployment deployment = Deployment.start();
  private final RunCaller caller = RunCaller.to(deployment.target());
  private final CuttingProxy proxy = new CuttingProxy(deployment.target());
  private final ManagedChannel channel = TestAccess.channel(proxy.target()).build();
  private final Hapax hapax = client().callTimeout(LONG).recordTimeout(LONG).connect();
  private final Map<String, Integer> handled = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    channel.shutdownNow();
    proxy.close();
    caller.close();
    deployment.close();
  }

  private Hapax.Builder client() {
    return Hapax.builder(Map.of()).channel(channel).workspace(caller.workspace());
  }

  private Worker worker() {
    return client()
        .tryTimeout(Duration.ofSeconds(2))
        .connect()
        .worker()
        .queue(
            RunCaller.QUEUE,
            task -> {
              handled.merge(task.stepId(), 1, Integer::sum);
              return new Value.Json("1");
            })
        .start();
  }

  private List<CompletableFuture<String>> startAll() {
    caller.define("order", RunCaller.task("a"), RunCaller.task("b"));
    return IntStream.range(0, RUNS)
        .mapToObj(
            i ->
                hapax
                    .async()
                    .start("order", options -> options.key("key-" + i))
                    .thenApply(started -> started.run().id()))
        .toList();
  }

  private void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<RunEvent> completed(RunCaller reader, List<CompletableFuture<String>> started) {
    var events = new ArrayList<RunEvent>();
    for (var each : started) {
      var id = each.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
      assertThat(hapax.runs().await(id, LONG).status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      events.addAll(reader.events(id));
    }
    return events;
  }

  private static long count(List<RunEvent> events, RunEventType type) {
    return events.stream().filter(event -> event.getType() == type).count();
  }

  @Test
  @DisplayName("given 300 runs, when connections are cut again and again, then no lease expires")
  void cut() {
    var worker = worker();
    try (worker) {
      var started = startAll();
      for (var i = 0; i < 10; i++) {
        pause(100);
        proxy.cutConnections();
      }
      var events = completed(caller, started);
      assertThat(count(events, RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)).isEqualTo(2L * RUNS);
      assertThat(count(events, RunEventType.RUN_EVENT_TYPE_LEASE_LOST)).isZero();
    }
  }

  @Test
  @DisplayName(
      "given 300 runs, when the server is killed and started again, then each is done once")
  void killed() {
    var worker = worker();
    try (worker) {
      var started = startAll();
      Condition.await("some are done", Condition.MUCH_WORK, () -> handled.size() > RUNS / 10);
      deployment.server().kill9();
      var next = deployment.add().awaitReady();
      proxy.forwardTo(next);
      try (var after = caller.via(next)) {
        var events = completed(after, started);
        assertThat(count(events, RunEventType.RUN_EVENT_TYPE_CREATED)).isEqualTo(RUNS);
        assertThat(count(events, RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)).isEqualTo(2L * RUNS);
        assertThat(count(events, RunEventType.RUN_EVENT_TYPE_LEASE_LOST)).isZero();
      }
    }
  }

  @Test
  @DisplayName("given open streams, when the server stops, then it stops at once and loses nothing")
  void stopped() {
    var worker = worker();
    try (worker) {
      var started = startAll();
      Condition.await("some are done", Condition.MUCH_WORK, () -> handled.size() > RUNS / 10);
      HapaxProcess next = deployment.add();
      var target = next.awaitReady();
      proxy.forwardTo(target);
      deployment.server().terminate();
      assertThat(deployment.server().awaitExit()).isZero();
      assertThat(deployment.server().errors())
          .noneMatch(line -> line.contains("still active after the drain"));
      try (var after = caller.via(target)) {
        var events = completed(after, started);
        assertThat(count(events, RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED)).isEqualTo(2L * RUNS);
        assertThat(count(events, RunEventType.RUN_EVENT_TYPE_LEASE_LOST)).isZero();
      }
    }
  }

  @Test
  @DisplayName(
      "given 300 operations, when connections are cut again and again, then each runs once")
  void operations() {
    var outcomes =
        IntStream.range(0, RUNS)
            .mapToObj(
                i ->
                    hapax
                        .async()
                        .tryOnce(
                            Operation.of("pay", "key-" + i),
                            Codec.text(),
                            claim -> {
                              handled.merge("key-" + i, 1, Integer::sum);
                              return "paid " + i;
                            }))
            .toList();
    for (var i = 0; i < 10; i++) {
      pause(50);
      proxy.cutConnections();
    }
    for (var outcome : outcomes) {
      assertThat(outcome.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join())
          .isInstanceOf(OnceOutcome.Done.class);
    }
    assertThat(handled).hasSize(RUNS).allSatisfy((_, times) -> assertThat(times).isOne());
  }

  @Test
  @DisplayName(
      "given a stream that is no message, when the server reads it, then it names the error")
  void garbage() {
    var refusal =
        Refusal.of(
            () ->
                new RawCall(WorkerServiceGrpc.getWorkMethod())
                    .callWith(caller.caller(), List.of(new byte[] {-1, -1, -1, -1})));
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UNREADABLE_MESSAGE);
    assertThat(deployment.complaints()).isEmpty();
  }
}
