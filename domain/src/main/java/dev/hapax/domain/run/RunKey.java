package dev.hapax.domain.run;

import dev.hapax.domain.Fingerprint;
import java.time.Instant;

/**
 * What an idempotency key leads to.
 *
 * @param request what was asked for when the run was started
 * @param expiresAt when it is forgotten; never before the run has ended
 */
public record RunKey(RunId run, Fingerprint request, Instant expiresAt) {}
