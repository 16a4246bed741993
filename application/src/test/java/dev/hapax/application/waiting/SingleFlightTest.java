package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.testkit.LogLines;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SingleFlightTest {
  private static final Duration REST = Duration.ofMillis(200);
  private final ManualScheduler timer = new ManualScheduler(new SettableClock());
  private final List<CompletableFuture<Void>> runs = new ArrayList<>();
  private final SingleFlight flight = flight(timer, REST);

  private SingleFlight flight(ManualScheduler on, Duration rest) {
    return new SingleFlight(
        () -> {
          runs.add(new CompletableFuture<>());
          return runs.getLast();
        },
        rest,
        new FailureLog(SingleFlightTest.class, "work"),
        on);
  }

  private void end() {
    runs.getLast().complete(null);
  }

  @Test
  @DisplayName("given nothing under way, a request is served at once")
  void atOnce() {
    flight.request();
    assertThat(runs).hasSize(1);
    end();
    timer.advance(Duration.ofMinutes(1));
    assertThat(runs).as("nothing was requested since").hasSize(1);
    assertThat(timer.pending()).isZero();

    flight.request();
    assertThat(runs).hasSize(2);
  }

  @Test
  @DisplayName("given a run under way, all requests share one run after it and a rest")
  void coalesced() {
    flight.request();
    for (var i = 0; i < 20; i++) {
      flight.request();
    }
    timer.advance(Duration.ofMinutes(1));
    assertThat(runs).as("one at a time").hasSize(1);

    end();
    assertThat(runs).hasSize(1);
    timer.advance(REST.minusMillis(1));
    assertThat(runs).as("rest").hasSize(1);
    timer.advance(Duration.ofMillis(1));
    assertThat(runs).hasSize(2);

    end();
    flight.request();
    flight.request();
    timer.advance(Duration.ofMinutes(1));
    assertThat(runs).as("requested during the rest").hasSize(3);
  }

  @Test
  @DisplayName("given a failed run, it is logged and repeated without another request")
  void retried() {
    try (var lines = new LogLines(SingleFlightTest.class)) {
      flight.request();
      runs.getLast().completeExceptionally(new LedgerException.Unavailable("away"));
      flight.request();
      timer.advance(Duration.ofMillis(999));
      assertThat(runs).hasSize(1);
      timer.advance(Duration.ofMillis(1));
      assertThat(runs).hasSize(2);
      end();
      timer.advance(Duration.ofMinutes(1));
      assertThat(runs).hasSize(2);
      assertThat(lines.messages()).containsExactly("work failed, will retry: away");
    }
  }

  @Test
  @DisplayName("given work that throws, it is logged and repeated")
  void throwing() {
    var tries = new AtomicInteger();
    var broken =
        new SingleFlight(
            () -> {
              if (tries.incrementAndGet() < 3) {
                throw new IllegalStateException("broken");
              }
              return CompletableFuture.completedFuture(null);
            },
            REST,
            new FailureLog(SingleFlightTest.class, "work"),
            timer);
    try (var lines = new LogLines(SingleFlightTest.class)) {
      broken.request();
      timer.advance(Duration.ofMinutes(1));
      assertThat(tries).hasValue(3);
      assertThat(lines.messages()).containsExactly("work failed, will retry: broken");
    }
  }

  @Test
  @DisplayName("given many threads, no run overlaps another and each request is followed by a run")
  void threads() throws InterruptedException {
    var threads = 8;
    var requests = 2_000;
    var running = new AtomicInteger();
    var overlapped = new AtomicInteger();
    var counter = new AtomicInteger();
    var seen = new AtomicInteger();
    try (var workers = Executors.newFixedThreadPool(threads);
        var scheduler = Executors.newSingleThreadScheduledExecutor()) {
      var allSeen = new CountDownLatch(1);
      var busy =
          new SingleFlight(
              () ->
                  CompletableFuture.runAsync(
                      () -> {
                        if (running.incrementAndGet() != 1) {
                          overlapped.incrementAndGet();
                        }
                        seen.set(counter.get());
                        running.decrementAndGet();
                        if (seen.get() == threads * requests) {
                          allSeen.countDown();
                        }
                      },
                      workers),
              Duration.ZERO,
              new FailureLog(SingleFlightTest.class, "work"),
              scheduler);
      for (var i = 0; i < threads; i++) {
        workers.execute(
            () -> {
              for (var n = 0; n < requests; n++) {
                counter.incrementAndGet();
                busy.request();
              }
            });
      }
      assertThat(allSeen.await(60, TimeUnit.SECONDS)).as("the last request was served").isTrue();
      assertThat(overlapped).hasValue(0);
    }
  }

  @Test
  @DisplayName("given a run that never ends, then its loop has not run; a failed run has ended")
  void loop() {
    var nanos = new AtomicLong();
    var loop = new Loop("scan", Duration.ofSeconds(30), nanos::get);
    var open = new CompletableFuture<Void>();
    new SingleFlight(
            () -> open, REST, new FailureLog(SingleFlightTest.class, "work"), timer, loop::ended)
        .request();
    nanos.addAndGet(Duration.ofSeconds(91).toNanos());
    assertThat(loop.problem()).contains("scan: no round for 91 s");

    open.completeExceptionally(new IllegalStateException("over"));
    assertThat(loop.problem()).isEmpty();
    assertThat(loop.sinceSuccess()).isEqualTo(Duration.ofSeconds(91));
  }

  @Test
  @DisplayName("given work that throws instead of returning a future, then its run has failed")
  void loopThrows() {
    var outcomes = new ArrayList<Boolean>();
    new SingleFlight(
            () -> {
              throw new AssertionError("broken");
            },
            REST,
            new FailureLog(SingleFlightTest.class, "work"),
            timer,
            outcomes::add)
        .request();
    assertThat(outcomes).containsExactly(false);
  }
}
