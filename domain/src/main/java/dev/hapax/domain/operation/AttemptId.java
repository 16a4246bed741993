package dev.hapax.domain.operation;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Text;
import java.util.UUID;

/**
 * The hash of the caller's nonce for one logical attempt; a call with the same nonce is a retry of
 * that attempt.
 */
public record AttemptId(UUID hash) {
  /**
   * Hashes the nonce. It must not be empty: unrelated callers would share one attempt and one
   * claim.
   */
  public static AttemptId of(String sent) {
    return new AttemptId(Digest.sha256(Text.requiredName(sent)));
  }
}
