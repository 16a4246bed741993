package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Task;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** A workspace with records of each kind, which callers use all the time. */
final class MovingWorkspace implements AutoCloseable {
  private static final int CALLERS = 4;
  private static final int PATIENCE_SECONDS = 60;

  private final ClaimCaller claims;
  private final RunCaller runs;
  private final Caller caller;
  private final Claim operation;
  private final Claim action;
  private final Task task;
  private final String ready;
  private final String sleeping;
  private final Map<String, String> results = new ConcurrentHashMap<>();
  private final AtomicInteger keys = new AtomicInteger();
  private final AtomicLong longestNanos = new AtomicLong();
  private final List<CompletableFuture<Void>> load = new ArrayList<>();
  private volatile boolean isStopped;

  /** Makes the records. */
  MovingWorkspace(String target) {
    claims = ClaimCaller.to(target);
    runs = claims.runs();
    caller = runs.caller();
    operation = caller.acquire("open");
    var _ = claims.approved("bill");
    action = claims.claimed("bill");
    runs.define("order", RunCaller.task("work"));
    runs.define("sleep", RunCaller.timer("wait", Caller.seconds(2)));
    var _ = runs.started("order");
    task = runs.poll("worker");
    ready = runs.started("order");
    sleeping = runs.started("sleep");
    for (var i = 0; i < 20; i++) {
      complete("key-" + keys.incrementAndGet());
    }
  }

  String name() {
    return runs.workspace();
  }

  Caller caller() {
    return caller;
  }

  RunCaller runs() {
    return runs;
  }

  private void complete(String key) {
    var result = "\"%s %s\"".formatted(key, System.nanoTime());
    var claim = caller.acquire(key);
    var _ = caller.complete(claim, Caller.json(result));
    results.put(key, result);
  }

  /** Begins to complete operations, each call until it is answered. */
  void use() {
    for (var i = 0; i < CALLERS; i++) {
      load.add(CompletableFuture.runAsync(this::completeAll, Thread::startVirtualThread));
    }
  }

  private void completeAll() {
    while (!isStopped) {
      var key = "key-" + keys.incrementAndGet();
      var result = "\"%s\"".formatted(key);
      var begun = System.nanoTime();
      // the same attempt, whose answer may be lost
      var begin = caller.begin(key);
      var claim = untilAnswered(() -> caller.send(begin)).getAcquired().getClaim();
      var _ = untilAnswered(() -> caller.complete(claim, Caller.json(result)));
      longestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
      results.put(key, result);
    }
  }

  /** As clients do: an UNAVAILABLE call is sent again. */
  private static <T> T untilAnswered(Supplier<T> call) {
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    for (; ; ) {
      try {
        return call.get();
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() != Status.Code.UNAVAILABLE || System.nanoTime() > end) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  /** How many operations were completed. */
  int completed() {
    return results.size();
  }

  /** Completes when an answer says that the run has ended. */
  Future<Run> awaitReady() {
    return CompletableFuture.supplyAsync(
        () -> {
          for (; ; ) {
            var run = untilAnswered(() -> runs.awaitEnd(ready));
            if (run.getStatus() == RunStatus.RUN_STATUS_COMPLETED) {
              return run;
            }
          }
        },
        Thread::startVirtualThread);
  }

  /** The longest time in which an operation was begun and completed. */
  Duration longest() {
    return Duration.ofNanos(longestNanos.get());
  }

  /** Ends the load, and requires that all that was there is there, once. */
  void requireWhole() throws Exception {
    stop();
    for (var known : results.entrySet()) {
      var replay = caller.send(caller.begin(known.getKey()));
      assertThat(replay.getOutcomeCase())
          .as(known.getKey())
          .isEqualTo(BeginOperationResponse.OutcomeCase.REPLAY);
      assertThat(replay.getReplay().getResult().getJson()).isEqualTo(known.getValue());
    }
    assertThat(caller.list().build().getWorkspace()).isEqualTo(name());
    var _ = caller.complete(operation, Caller.json("1"));
    var _ = claims.complete(action);
    assertThat(claims.history("bill")).endsWith(EntityEventType.ENTITY_EVENT_TYPE_ACTION_COMPLETED);
    var _ = runs.complete(task.getClaim(), "1");
    var ended = awaitReady();
    var _ = runs.complete(runs.poll("other").getClaim(), "2");
    assertThat(ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getId()).isEqualTo(ready);
    assertThat(runs.awaitEnd(sleeping).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  private void stop() {
    isStopped = true;
    CompletableFuture.allOf(load.toArray(CompletableFuture[]::new))
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  @Override
  public void close() {
    isStopped = true;
    claims.close();
  }
}
