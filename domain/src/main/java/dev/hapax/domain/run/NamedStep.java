package dev.hapax.domain.run;

import dev.hapax.domain.Payload;

/**
 * What a step that code named came to.
 *
 * @param version of the event that recorded it
 * @param nonce of the grant that recorded it
 */
public record NamedStep(long version, long nonce, Payload output) {}
