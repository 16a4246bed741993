package dev.hapax.application.security;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyRing;
import dev.hapax.domain.security.ApiKeyUses;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.domain.security.UnreadableApiKey;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The API keys that this node accepts: a copy in memory, so that a call needs no query. A change is
 * effective on every node after {@link #REFRESH}. While the database is unreachable, the last copy
 * stays.
 */
public final class ApiKeys {
  /** One query for one row; a revoked key must be refused within 5 s. */
  public static final Duration REFRESH = Duration.ofSeconds(3);

  private static final System.Logger LOG = System.getLogger(ApiKeys.class.getName());

  private final FailureLog refreshes = new FailureLog(ApiKeys.class, "refresh of API keys");
  private final FailureLog records =
      new FailureLog(ApiKeys.class, "record of the last use of API keys");
  private final Loop loop = new Loop("api-keys", REFRESH, System::nanoTime);
  private final ApiKeyReads reads;
  private final ApiKeyUses uses;
  private final UsedApiKeys used = new UsedApiKeys();
  private final InstantSource clock;
  private volatile ApiKeyRing ring = ApiKeyRing.EMPTY;
  private volatile Instant readAt = Instant.EPOCH;

  public ApiKeys(ApiKeyReads reads, ApiKeyUses uses, InstantSource clock) {
    this.reads = reads;
    this.uses = uses;
    this.clock = clock;
  }

  /** Reads all keys. */
  public CompletableFuture<Void> load() {
    var asked = clock.instant();
    return reads
        .live()
        .thenAccept(
            live -> {
              live.newlyUnreadable(ring).forEach(ApiKeys::warn);
              ring = live;
              readAt = asked;
            });
  }

  private static void warn(UnreadableApiKey key) {
    LOG.log(
        Level.WARNING,
        "API key %s of %s is refused, because this version cannot read it: %s"
            .formatted(key.id(), key.owner(), key.problem()));
  }

  /** Refreshes the keys until the timer stops. */
  public void refreshEvery(ScheduledExecutorService timer) {
    var _ =
        timer.schedule(
            () -> {
              var _ = refresh().whenComplete((_, failure) -> again(timer, failure));
            },
            REFRESH.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  private void again(ScheduledExecutorService timer, @Nullable Throwable failure) {
    refreshes.ended(null, failure);
    loop.ended(failure == null);
    if (!timer.isShutdown()) {
      refreshEvery(timer);
    }
  }

  /** The repeated work that {@link #refreshEvery} begins. */
  public Loop loop() {
    return loop;
  }

  /** Also an exception that is thrown at once fails the future, or nothing would be read again. */
  private CompletableFuture<Void> refresh() {
    return CompletableFuture.completedFuture(clock)
        .thenApply(InstantSource::instant)
        .thenCompose(now -> refresh(now).thenCompose(_ -> recordUses(now)));
  }

  /** A use that cannot be recorded is only logged: the keys are current all the same. */
  private CompletableFuture<Void> recordUses(Instant now) {
    var ids = used.take(now);
    return ids.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : uses.record(ids)
            .thenRun(() -> used.recorded(ids, now))
            .whenComplete(records::ended)
            .exceptionally(_ -> null);
  }

  private CompletableFuture<Void> refresh(Instant asked) {
    return reads
        .revision()
        .thenCompose(
            revision -> {
              if (revision != ring.revision()) {
                return load();
              }
              readAt = asked;
              return CompletableFuture.completedFuture(null);
            });
  }

  /** Returns since when at the latest a change of a key may be unknown here. */
  public Instant readAt() {
    return readAt;
  }

  /** The number of keys that can be used. */
  public int live() {
    return ring.live(clock.instant());
  }

  ApiKeyRing ring() {
    return ring;
  }

  /** Finds the live key that a caller presents. */
  Optional<StoredApiKey> use(ApiKey presented, Instant now) {
    var found = ring.find(presented, now);
    found.ifPresent(key -> used.add(key.id()));
    return found;
  }

  /** Whether any key can be used. */
  public boolean hasLive() {
    return ring.hasLive(clock.instant());
  }
}
