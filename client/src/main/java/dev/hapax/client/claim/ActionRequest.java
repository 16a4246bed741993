package dev.hapax.client.claim;

import dev.hapax.client.internal.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request to run an action. Immutable: every {@code with…} is a copy.
 *
 * @param entity the entity to act on
 * @param step the {@code step_key} in its lifecycle
 * @param requester the role of the caller, such as {@code admin}; the lifecycle defines its steps
 * @param expectedVersion the request is rejected with CONCURRENCY_ERROR unless the entity has this
 *     version; 0, the default, = any version
 * @param maxWait how long to wait for another holder to finish. 0 to 30 s, default 0
 * @param lease how long the entity stays with a holder without renewals; the client renews it every
 *     third of this. 100 ms to 24 h; null, the default, = the janitor's {@code staleAfter}
 */
public record ActionRequest(
    EntityKey entity,
    String step,
    String requester,
    long expectedVersion,
    Duration maxWait,
    @Nullable Duration lease) {

  /** Checks the limits. */
  public ActionRequest {
    EntityKey.required("step", step);
    EntityKey.required("requester", requester);
    if (expectedVersion < 0) {
      throw new IllegalArgumentException(
          "expectedVersion must not be negative (was " + expectedVersion + ")");
    }
    Limits.within("maxWait", maxWait, Duration.ZERO, Duration.ofSeconds(30));
    if (lease != null) {
      Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    }
  }

  /** A request with the defaults named above. */
  public static ActionRequest of(EntityKey entity, String step, String requester) {
    return new ActionRequest(entity, step, requester, 0, Duration.ZERO, null);
  }

  /** Returns a copy with another {@link #expectedVersion}. */
  public ActionRequest withExpectedVersion(long expectedVersion) {
    return new ActionRequest(entity, step, requester, expectedVersion, maxWait, lease);
  }

  /** Returns a copy with another {@link #maxWait}. */
  public ActionRequest withMaxWait(Duration maxWait) {
    return new ActionRequest(entity, step, requester, expectedVersion, maxWait, lease);
  }

  /** Returns a copy with its own {@link #lease}. */
  public ActionRequest withLease(Duration lease) {
    return new ActionRequest(entity, step, requester, expectedVersion, maxWait, lease);
  }
}
