package dev.hapax.domain.operation;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Fence;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The calls that ended earlier grants of a key, and the earlier resolutions: one of them sent again
 * gets its answer again, whatever happened since.
 *
 * @param failures the grants that a FailOperation ended, oldest first; the last {@link #FAILURES}
 * @param resolutions the request ids of resolutions, condensed, oldest first; the last {@link
 *     #RESOLUTIONS}
 */
public record RememberedCalls(List<Failed> failures, List<UUID> resolutions) {
  /** A lost answer is asked for again within moments; in between fail a few others at most. */
  public static final int FAILURES = 8;

  /** Operators are few, and may send their calls again much later. */
  public static final int RESOLUTIONS = 32;

  static final RememberedCalls NONE = new RememberedCalls(List.of(), List.of());

  public RememberedCalls {
    failures = last(failures, FAILURES);
    resolutions = last(resolutions, RESOLUTIONS);
  }

  private static <T> List<T> last(List<T> all, int atMost) {
    return List.copyOf(all.subList(Math.max(0, all.size() - atMost), all.size()));
  }

  /** A grant, and what its holder said. */
  public record Failed(long nonce, Fence fence, Kind kind) {
    boolean is(OperationClaim claim, Kind said) {
      return nonce == claim.nonce() && fence.equals(claim.fence()) && kind == said;
    }
  }

  /** What a failure says about the work. */
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
