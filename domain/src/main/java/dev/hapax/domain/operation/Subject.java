package dev.hapax.domain.operation;

import dev.hapax.domain.Fingerprint;
import java.util.Optional;

/**
 * What an operation is about, whatever its state.
 *
 * @param key as first begun; its account is the one before an account change
 * @param resolution the last one by hand, if there was one
 */
public record Subject(OperationKey key, Fingerprint fingerprint, Optional<Resolution> resolution) {

  public Subject(OperationKey key, Fingerprint fingerprint) {
    this(key, fingerprint, Optional.empty());
  }

  Subject resolvedBy(Resolution resolution) {
    return new Subject(key, fingerprint, Optional.of(resolution));
  }

  /**
   * Who resolved it by hand and why.
   *
   * @param requestId the operator's nonce, so that the same call again changes nothing
   */
  public record Resolution(String requestId, String reason) {}
}
