package dev.hapax.domain.operation;

import dev.hapax.domain.Digest;
import dev.hapax.domain.Text;
import java.util.UUID;

/**
 * The caller's nonce for one logical attempt, condensed: whoever sends the same again is the same
 * attempt.
 */
public record AttemptId(UUID hash) {
  /** Never of an empty text: two strangers would be one attempt and hold one claim. */
  public static AttemptId of(String sent) {
    return new AttemptId(Digest.sha256(Text.requiredName(sent)));
  }
}
