package dev.hapax.application.intent;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.intent.IntentRequest;

/** Computes what the idempotency key of a start stands for, as for the same call of the API. */
@FunctionalInterface
public interface StartFingerprints {
  /**
   * Returns the fingerprint of a start.
   *
   * @throws dev.hapax.domain.InvalidValueException if the API would reject a payload
   */
  Fingerprint of(IntentRequest.Start start);
}
