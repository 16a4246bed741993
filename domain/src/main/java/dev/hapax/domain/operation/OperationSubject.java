package dev.hapax.domain.operation;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import java.util.Optional;

/**
 * The part of an operation that does not depend on its state: its request and its history.
 *
 * @param key of the first Begin; its account is the one before an account change
 * @param resolution the last resolution by an operator
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

  /** The subject of the same key, begun again after the record expired. */
  OperationSubject restarted(OperationKey key, Fingerprint fingerprint) {
    return new OperationSubject(key, fingerprint, Optional.empty(), withResolution());
  }

  /** The subject of the same key, for a request that may correct the previous one. */
  OperationSubject withFingerprint(Fingerprint fingerprint) {
    return new OperationSubject(key, fingerprint, resolution, earlier);
  }

  /** Whether an operator resolved the operation after this grant. */
  boolean isResolvedSince(Fence grant) {
    return resolution.filter(last -> last.fence().compareTo(grant) > 0).isPresent();
  }

  boolean isResolvedBy(String requestId) {
    return resolution.filter(last -> last.requestId().equals(requestId)).isPresent()
        || earlier.hasResolved(requestId);
  }

  /** The subject with this grant remembered as failed. */
  OperationSubject failed(Grant grant, RememberedCalls.Kind kind) {
    return new OperationSubject(key, fingerprint, resolution, earlier.andFailed(grant, kind));
  }

  private RememberedCalls withResolution() {
    return resolution.map(last -> earlier.andResolved(last.requestId())).orElse(earlier);
  }

  /**
   * A resolution by an operator.
   *
   * @param requestId the operator's nonce, so that a repeated call changes nothing
   * @param by its actor is empty if it is unknown
   * @param fence of the operator's grant: holders of a lower fence have lost their claim
   */
  public record Resolution(String requestId, Attribution by, Fence fence) {}
}
