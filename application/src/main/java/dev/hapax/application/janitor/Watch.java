package dev.hapax.application.janitor;

import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.Watched;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all janitors every few seconds, whoever declared them and whoever sweeps; as long as
 * there are none, only when another server may have declared one.
 */
final class Watch {
  static final Duration LOOK = Duration.ofSeconds(10);

  private final JanitorReads reads;
  private final Consumer<Watched> listener;
  private volatile Map<JanitorId, Watched> last = Map.of();

  private volatile boolean doubtful = true;

  // guarded by this
  private boolean looking;

  /**
   * Looks at nothing yet.
   *
   * @param listener told of each, each time
   */
  Watch(JanitorReads reads, Consumer<Watched> listener) {
    this.reads = reads;
    this.listener = listener;
  }

  void start(ScheduledExecutorService timer) {
    var _ = timer.scheduleWithFixedDelay(this::look, 0, LOOK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Another server has committed something. */
  void doubt() {
    doubtful = true;
  }

  private void look() {
    if ((doubtful || !last.isEmpty()) && begin()) {
      doubtful = false;
      var _ = reads.list().whenComplete((found, _) -> looked(found));
    }
  }

  private synchronized boolean begin() {
    var begins = !looking;
    looking = true;
    return begins;
  }

  /** Nothing = the look failed; there will be another. */
  private void looked(@Nullable List<Watched> found) {
    synchronized (this) {
      looking = false;
    }
    if (found == null) {
      doubtful = true;
    } else {
      last = found.stream().collect(Collectors.toMap(Watched::id, Function.identity()));
      found.forEach(listener);
    }
  }

  /** One whose time may come before the next look. */
  void declared(JanitorId id, Janitor janitor) {
    doubtful = true;
    listener.accept(new Watched(id, janitor, Optional.empty(), janitor.declaredAt()));
  }

  /** As the last look found them. */
  List<Watched> last() {
    return List.copyOf(last.values());
  }

  /** What a module has promised that polls; polls are many, so they mostly ask nobody. */
  CompletableFuture<Optional<JanitorContract>> contract(JanitorId id) {
    var known =
        Optional.ofNullable(last.get(id))
            .flatMap(watched -> watched.janitor().contract())
            .filter(contract -> contract.mode() == JanitorMode.REMOTE);
    return known.isPresent()
        ? CompletableFuture.completedFuture(known)
        : reads.find(id).thenApply(found -> found.flatMap(Janitor::contract));
  }
}
