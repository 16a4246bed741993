package dev.hapax.application.janitor;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Looks at all janitors every few seconds, whoever declared them and whoever sweeps. */
final class JanitorMonitor {
  static final Duration LOOK = Duration.ofSeconds(10);

  private final JanitorReads reads;
  private final InstantSource clock;
  private final Consumer<JanitorStatus> listener;
  private final ScheduledExecutorService timer;
  private volatile Seen last = new Seen(Map.of(), Instant.EPOCH);
  private final SingleFlight query;

  /** What the last look found, and when it was made. */
  private record Seen(Map<JanitorId, JanitorStatus> janitors, Instant at) {}

  /**
   * Looks at nothing yet.
   *
   * @param listener told of each, each time
   */
  JanitorMonitor(
      JanitorReads reads,
      InstantSource clock,
      Consumer<JanitorStatus> listener,
      ScheduledExecutorService timer) {
    this.reads = reads;
    this.clock = clock;
    this.listener = listener;
    this.timer = timer;
    this.query =
        new SingleFlight(
            this::look,
            Duration.ZERO,
            new FailureLog(JanitorMonitor.class, "query for janitors"),
            timer);
  }

  void start() {
    var _ = timer.scheduleWithFixedDelay(query::request, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  private CompletableFuture<?> look() {
    var at = clock.instant();
    return reads.list().thenAccept(found -> looked(found, at));
  }

  private void looked(List<JanitorStatus> found, Instant at) {
    last = new Seen(found.stream().collect(Collectors.toMap(JanitorStatus::id, Function.identity())), at);
    found.forEach(listener);
  }

  /** One whose time may come before the next look. */
  void declared(JanitorId id, Janitor janitor) {
    listener.accept(new JanitorStatus(id, janitor, Optional.empty(), janitor.declaredAt()));
  }

  /** As the last look found them, as late as they are by now if nothing came of them since. */
  List<JanitorStatus> last() {
    var seen = last;
    var age = Duration.between(seen.at(), clock.instant());
    return seen.janitors().values().stream()
        .map(watched -> age.isPositive() ? watched.after(age) : watched)
        .toList();
  }

  /** What a module has promised that polls; polls are many, so they mostly ask nobody. */
  CompletableFuture<Optional<JanitorContract>> contract(JanitorId id) {
    var known =
        Optional.ofNullable(last.janitors().get(id))
            .flatMap(watched -> watched.janitor().contract())
            .filter(contract -> contract.mode() == JanitorMode.REMOTE);
    return known.isPresent()
        ? CompletableFuture.completedFuture(known)
        : reads.find(id).thenApply(found -> found.flatMap(Janitor::contract));
  }
}
