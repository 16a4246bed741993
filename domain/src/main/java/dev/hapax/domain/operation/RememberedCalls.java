package dev.hapax.domain.operation;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fence;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The calls that ended earlier grants of a key, and earlier resolutions: a retry of one of them
 * gets the same response, whatever happened since.
 *
 * @param failures the last {@link #FAILURES} grants that a FailOperation ended, oldest first
 * @param resolutions the hashes of the last {@link #RESOLUTIONS} resolution request ids, oldest
 *     first
 */
public record RememberedCalls(List<Failed> failures, List<UUID> resolutions) {
  /** Callers retry within moments, and only a few other calls can fail in between. */
  public static final int FAILURES = 8;

  /** Operators are few, but may retry their calls much later. */
  public static final int RESOLUTIONS = 32;

  static final RememberedCalls NONE = new RememberedCalls(List.of(), List.of());

  public RememberedCalls {
    failures = last(failures, FAILURES);
    resolutions = last(resolutions, RESOLUTIONS);
  }

  private static <T> List<T> last(List<T> all, int atMost) {
    return List.copyOf(all.subList(Math.max(0, all.size() - atMost), all.size()));
  }

  /** A grant that its holder reported as failed. */
  public record Failed(long nonce, Fence fence, Kind kind) {
    boolean is(OperationClaim claim, Kind said) {
      return nonce == claim.nonce() && fence.equals(claim.fence()) && kind == said;
    }
  }

  /** Whether the failed work took effect. */
  public enum Kind {
    RETRYABLE,
    FINAL,
    UNKNOWN_EFFECT
  }

  boolean hasFailed(OperationClaim claim, Kind kind) {
    return failures.stream().anyMatch(failed -> failed.is(claim, kind));
  }

  boolean hasResolved(String requestId) {
    return resolutions.contains(Digest.sha256(requestId));
  }

  RememberedCalls andFailed(Grant grant, Kind kind) {
    var failed = new Failed(grant.nonce(), grant.fence(), kind);
    return new RememberedCalls(and(failures, failed), resolutions);
  }

  RememberedCalls andResolved(String requestId) {
    return new RememberedCalls(failures, and(resolutions, Digest.sha256(requestId)));
  }

  private static <T> List<T> and(List<T> all, T next) {
    return Stream.concat(all.stream(), Stream.of(next)).toList();
  }
}
