package dev.hapax.domain.run;

import dev.hapax.domain.Fingerprint;
import java.time.Instant;

/**
 * The record of an idempotency key: the run that it started.
 *
 * @param request fingerprint of the request that started the run
 * @param expiresAt when the key is forgotten; never before the run has ended
 */
public record RunKey(RunId run, Fingerprint request, Instant expiresAt) {}
