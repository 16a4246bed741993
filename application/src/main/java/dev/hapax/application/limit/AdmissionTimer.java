package dev.hapax.application.limit;

import dev.hapax.domain.limit.LimitKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Admits runs at the times at which their rates let them start, once for each limit. */
final class AdmissionTimer {
  private record Timer(long at, Future<?> future) {}

  private final ConcurrentMap<LimitKey, Timer> timers = new ConcurrentHashMap<>();
  private final ScheduledExecutorService executor;
  private final Consumer<LimitKey> admit;

  AdmissionTimer(ScheduledExecutorService executor, Consumer<LimitKey> admit) {
    this.executor = executor;
    this.admit = admit;
  }

  /** Admits after this time, unless that is done earlier: each admission says what comes next. */
  void put(LimitKey key, Duration in) {
    var at = System.nanoTime() + in.toNanos();
    timers.compute(
        key,
        (_, before) -> {
          if (before != null && before.at() - at <= 0) {
            return before;
          }
          if (before != null) {
            before.future().cancel(false);
          }
          return new Timer(
              at, executor.schedule(() -> fire(key, at), in.toNanos(), TimeUnit.NANOSECONDS));
        });
  }

  private void fire(LimitKey key, long at) {
    timers.computeIfPresent(key, (_, timer) -> timer.at() == at ? null : timer);
    admit.accept(key);
  }
}
