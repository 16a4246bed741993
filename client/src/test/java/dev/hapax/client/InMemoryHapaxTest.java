package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.testkit.server.InMemoryHapax;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the in-memory server promises to those who test with it, shown with the client. */
@Timeout(60)
class InMemoryHapaxTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final InMemoryHapax hapax = InMemoryHapax.start();
  private final Hapax client = Hapax.builder().channel(hapax.channel()).connect();
  private final Runs runs = client.runs();
  private final List<Worker> workers = new ArrayList<>();

  @AfterEach
  void close() {
    workers.forEach(Worker::close);
    client.close();
    hapax.close();
  }

  private void define(Definition definition) {
    assertThat(client.definitions().register(definition)).isTrue();
  }

  private void work(Handler handler) {
    workers.add(client.worker().queue("work", handler).start());
  }

  private String start() {
    return runs.start("job").run().id();
  }

  private String now() {
    return hapax.clock().instant().toString();
  }

  @Test
  @DisplayName("given several timers, when time advances, then each fires in order at its own time")
  void timers() {
    List<String> seen = new ArrayList<>();
    define(
        Definition.of("job", "1")
            .timer("first", Duration.ofHours(1))
            .task("a", "work")
            .timer("second", Duration.ofDays(100))
            .task("b", "work"));
    work(
        task -> {
          seen.add(task.stepName() + " at " + now());
          return null;
        });
    String run = start();

    hapax.advance(Duration.ofDays(200));

    assertThat(seen).containsExactly("a at 2026-01-01T01:00:00Z", "b at 2026-04-11T01:00:00Z");
    assertThat(runs.get(run).status()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(now()).isEqualTo("2026-07-20T00:00:00Z");
  }

  @Test
  @DisplayName(
      "given a task that a worker holds too long, when its lease expires, then another "
          + "worker gets it")
  void takenOver() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger attempts = new AtomicInteger();
    define(Definition.of("job", "1").task("a", "work"));
    Handler handler =
        task -> {
          if (attempts.incrementAndGet() == 1) {
            begun.countDown();
            release.await();
          }
          return "attempt " + task.attempt();
        };
    work(handler);
    String run = start();
    begun.await();
    work(handler);

    hapax.advancePastHolders(Duration.ofMinutes(1));

    assertThat(runs.result(run, String.class, SOON)).isEqualTo("attempt 2");
    release.countDown();
  }

  @Test
  @DisplayName(
      "given a wait that has ended and a failure behind it, when the step is retried, then it does"
          + " not wait again")
  void retriedBehindAWait() {
    List<String> reached = new CopyOnWriteArrayList<>();
    define(Definition.of("job", "1").code("main", "work"));
    workers.add(
        client
            .worker()
            .step(
                "work",
                "job",
                "main",
                workflow -> {
                  workflow.suspend("cooling-off", Duration.ofDays(14));
                  reached.add(now());
                  if (reached.size() == 1) {
                    throw new RetryableFailure("BUSY", "the bank is busy");
                  }
                  return "shipped";
                })
            .start());
    String run = start();

    hapax.advance(Duration.ofDays(14).plusHours(1));

    assertThat(runs.result(run, String.class, SOON)).isEqualTo("shipped");
    assertThat(reached).hasSize(2).first().isEqualTo("2026-01-15T00:00:00Z");
    assertThat(reached.get(1)).startsWith("2026-01-15T00:00:0");
  }

  @Test
  @DisplayName("given calls from many threads, when time advances, then each call completes")
  void threads() {
    AtomicInteger done = new AtomicInteger();
    define(Definition.of("job", "1").timer("wait", Duration.ofDays(3)).task("a", "work"));
    work(
        task -> {
          done.incrementAndGet();
          return null;
        });
    List<CompletableFuture<?>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      callers.add(
          OwnThread.run(
              () -> {
                for (int j = 0; j < 25; j++) {
                  start();
                }
              }));
    }
    CompletableFuture<?> all =
        CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0]));
    while (!all.isDone()) {
      hapax.advance(Duration.ofHours(5));
    }
    hapax.advance(Duration.ofDays(3));

    assertThat(done).hasValue(100);
  }

  @Test
  @DisplayName("given a completed operation, when its ttl has passed, then the key is new again")
  void operations() {
    Operation request = Operation.of("charge", "r-1");
    AtomicInteger charges = new AtomicInteger();
    Work<String, RuntimeException> charge = operation -> "charge " + charges.incrementAndGet();

    assertThat(client.once(request, String.class, charge)).isEqualTo("charge 1");
    hapax.advance(Duration.ofHours(23));
    assertThat(client.once(request, String.class, charge)).isEqualTo("charge 1");
    hapax.advance(Duration.ofHours(1));
    assertThat(client.once(request, String.class, charge)).isEqualTo("charge 2");
  }

  @Test
  @DisplayName(
      "given a caller that waits for an operation, when its holder's lease expires, then the "
          + "caller is granted it")
  void waitingBegin() throws Exception {
    var calls = OperationServiceGrpc.newFutureStub(hapax.channel());
    BeginOperationRequest.Builder begin =
        BeginOperationRequest.newBuilder()
            .setOperation("charge")
            .setRequestId("r-2")
            .setLease(ProtoTimes.toProto(Duration.ofSeconds(20)))
            .setWait(ProtoTimes.toProto(Duration.ofSeconds(30)));
    assertThat(calls.beginOperation(begin.setAttemptId("dead").build()).get().hasAcquired())
        .isTrue();

    var waiting = calls.beginOperation(begin.setAttemptId("heir").build());
    hapax.advance(Duration.ofSeconds(20));

    assertThat(waiting.get(10, TimeUnit.SECONDS).getAcquired().getReclaimed()).isTrue();
  }

  @Test
  @DisplayName(
      "given a waiting Begin, when time advances far, then it is granted at the end of the "
          + "lease")
  void waitingBeginOnTime() throws Exception {
    var calls = OperationServiceGrpc.newFutureStub(hapax.channel());
    BeginOperationRequest.Builder begin =
        BeginOperationRequest.newBuilder()
            .setOperation("charge")
            .setRequestId("r-2")
            .setLease(ProtoTimes.toProto(Duration.ofSeconds(20)));
    calls.beginOperation(begin.setAttemptId("dead").build()).get();
    var waiting =
        calls.beginOperation(
            begin
                .clone()
                .setAttemptId("heir")
                .setWait(ProtoTimes.toProto(Duration.ofSeconds(30)))
                .build());
    hapax.advance(Duration.ofSeconds(25));
    assertThat(waiting.get(10, TimeUnit.SECONDS).hasAcquired()).isTrue();

    hapax.advance(Duration.ofSeconds(15));

    assertThat(calls.beginOperation(begin.setAttemptId("third").build()).get().hasAcquired())
        .as("40 s after the first, 20 s after the second")
        .isTrue();
  }

  @Test
  @DisplayName("given a clock, when it is set back, then that is rejected")
  void back() {
    assertThatThrownBy(() -> hapax.advance(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
