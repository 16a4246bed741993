package dev.hapax.client.claim;

import dev.hapax.client.internal.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which action is to be done, on what and as whom. Immutable: every {@code with…} is a copy.
 *
 * @param entity on what
 * @param step the {@code step_key} in its lifecycle
 * @param requester as whom, such as {@code admin}: the lifecycle says what each may do
 * @param expectedVersion only if the entity has this version, else it is refused with
 *     CONCURRENCY_ERROR; 0 = whichever it has, the default
 * @param maxWait how long to wait for another holder to finish. 0 to 30 s, default 0
 * @param lease how long a silent holder keeps the entity; it is renewed every third of this. 100 ms
 *     to 24 h; null = what the janitor of the module says, the default
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
      throw new IllegalArgumentException("expectedVersion is negative");
    }
    Limits.within("maxWait", maxWait, Duration.ZERO, Duration.ofSeconds(30));
    if (lease != null) {
      Limits.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    }
  }

  /** With the defaults named above. */
  public static ActionRequest of(EntityKey entity, String step, String requester) {
    return new ActionRequest(entity, step, requester, 0, Duration.ZERO, null);
  }

  /** With another {@link #expectedVersion}. */
  public ActionRequest withExpectedVersion(long expectedVersion) {
    return new ActionRequest(entity, step, requester, expectedVersion, maxWait, lease);
  }

  /** With another {@link #maxWait}. */
  public ActionRequest withMaxWait(Duration maxWait) {
    return new ActionRequest(entity, step, requester, expectedVersion, maxWait, lease);
  }

  /** With a {@link #lease} of its own. */
  public ActionRequest withLease(Duration lease) {
    return new ActionRequest(entity, step, requester, expectedVersion, maxWait, lease);
  }
}
