package dev.hapax.micrometer;

import dev.hapax.client.Observer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of Hapax clients. Create one for a registry, and share it: the gauges of a second one
 * would not be registered.
 *
 * <pre>{@code
 * Hapax hapax = Hapax.builder().observer(new HapaxMeters(registry)).connect();
 * }</pre>
 *
 * <ul>
 *   <li>{@code hapax.calls}, a timer: calls by {@code method} and {@code kind}
 *   <li>{@code hapax.tasks}, a timer: tasks of workers by {@code definition}, {@code step} and
 *       {@code kind}
 *   <li>{@code hapax.worker.slots}, a gauge: slots of workers by {@code state}, busy or free
 *   <li>{@code hapax.claims.lost}, a counter: lost claims by {@code kind}
 *   <li>{@code hapax.http}, a timer: HTTP requests with an idempotency key by {@code outcome}
 * </ul>
 */
public final class HapaxMeters implements Observer {

  private static final String KIND = "kind";

  private final MeterRegistry registry;
  private final AtomicInteger busy = new AtomicInteger();
  private final AtomicInteger free = new AtomicInteger();

  /** Registers the gauges; the other meters appear with their first event. */
  public HapaxMeters(MeterRegistry registry) {
    this.registry = registry;
    slots("busy", busy);
    slots("free", free);
  }

  private void slots(String state, AtomicInteger number) {
    Gauge.builder("hapax.worker.slots", number, AtomicInteger::get)
        .description("Slots of the workers.")
        .tag("state", state)
        .register(registry);
  }

  @Override
  public void called(String method, CallKind kind, Duration duration) {
    Timer.builder("hapax.calls")
        .description("Calls of Hapax, with their retries.")
        .tags("method", method, KIND, text(kind))
        .register(registry)
        .record(duration);
  }

  @Override
  public void worked(String definition, String step, TaskKind kind, Duration duration) {
    Timer.builder("hapax.tasks")
        .description("Tasks of the workers.")
        .tags("definition", definition, "step", step, KIND, text(kind))
        .register(registry)
        .record(duration);
  }

  @Override
  public void lost(HolderKind kind) {
    Counter.builder("hapax.claims.lost")
        .description("Claims that expired or were lost before their end was recorded.")
        .tag(KIND, text(kind))
        .register(registry)
        .increment();
  }

  @Override
  public void slotsChanged(int busyChange, int freeChange) {
    busy.addAndGet(busyChange);
    free.addAndGet(freeChange);
  }

  @Override
  public void served(HttpOutcome outcome, Duration duration) {
    Timer.builder("hapax.http")
        .description("HTTP requests with an idempotency key.")
        .tag("outcome", text(outcome))
        .register(registry)
        .record(duration);
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
