package dev.hapax.application.security;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyRing;
import java.time.Duration;
import java.time.InstantSource;
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

  private static final FailureLog REFRESHES = new FailureLog(ApiKeys.class, "refresh of API keys");

  private final ApiKeyReads reads;
  private final InstantSource clock;
  private volatile ApiKeyRing ring = ApiKeyRing.EMPTY;

  public ApiKeys(ApiKeyReads reads, InstantSource clock) {
    this.reads = reads;
    this.clock = clock;
  }

  /** Reads all keys. */
  public CompletableFuture<Void> load() {
    return reads.live().thenAccept(live -> ring = live);
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
    REFRESHES.ended(null, failure);
    if (!timer.isShutdown()) {
      refreshEvery(timer);
    }
  }

  private CompletableFuture<Void> refresh() {
    return reads
        .revision()
        .thenCompose(
            revision ->
                revision == ring.revision() ? CompletableFuture.completedFuture(null) : load());
  }

  ApiKeyRing ring() {
    return ring;
  }

  /** Whether any key can be used. */
  public boolean hasLive() {
    return ring.hasLive(clock.instant());
  }
}
