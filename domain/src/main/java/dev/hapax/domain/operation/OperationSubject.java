package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import java.util.Optional;

/**
 * What an operation is about, whatever its state.
 *
 * @param key as first begun; its account is the one before an account change
 * @param resolution the last one by hand, if there was one
 */
public record OperationSubject(
    OperationKey key,
    Fingerprint fingerprint,
    Optional<Resolution> resolution,
    RememberedCalls earlier) {

  public OperationSubject(OperationKey key, Fingerprint fingerprint) {
    this(key, fingerprint, Optional.empty(), RememberedCalls.NONE);
  }

  OperationSubject resolvedBy(Resolution next) {
    return new OperationSubject(key, fingerprint, Optional.of(next), withResolution());
  }

  /** Of the same key, begun again after it was forgotten. */
  OperationSubject begunAnew(OperationKey sent, Fingerprint asked) {
    return new OperationSubject(sent, asked, Optional.empty(), withResolution());
  }

  /** Of the same key, for a request that may correct the one before. */
  OperationSubject asking(Fingerprint asked) {
    return new OperationSubject(key, asked, resolution, earlier);
  }

  /** Whether an operator has taken the operation from the holder of this grant. */
  boolean isResolvedSince(Fence grant) {
    return resolution.filter(last -> last.fence().compareTo(grant) > 0).isPresent();
  }

  boolean isResolvedBy(String requestId) {
    return resolution.filter(last -> last.requestId().equals(requestId)).isPresent()
        || earlier.hasResolved(requestId);
  }

  /** What a later grant or resolution remembers of a grant that its holder ended so. */
  OperationSubject failed(Grant grant, RememberedCalls.Kind kind) {
    return new OperationSubject(key, fingerprint, resolution, earlier.andFailed(grant, kind));
  }

  private RememberedCalls withResolution() {
    return resolution.map(last -> earlier.andResolved(last.requestId())).orElse(earlier);
  }

  /**
   * Who resolved it by hand and why.
   *
   * @param requestId the operator's nonce, so that the same call again changes nothing
   * @param actor empty = unknown
   * @param fence of the operator's grant: those who hold a lower one have lost it to the operator
   */
  public record Resolution(String requestId, String reason, String actor, Fence fence) {}
}
