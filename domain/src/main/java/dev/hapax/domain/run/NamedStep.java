package dev.hapax.domain.run;

import dev.hapax.domain.Payload;

/**
 * The recorded output of a step that the worker's code named.
 *
 * @param version of the event that recorded it
 * @param nonce of the grant that recorded it
 */
public record NamedStep(long version, long nonce, Payload output) {}
