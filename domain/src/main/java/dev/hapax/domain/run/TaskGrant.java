package dev.hapax.domain.run;

import dev.hapax.domain.Fence;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The right to work on one step.
 *
 * @param nonce drawn for this grant; with the fence it is the proof of ownership
 * @param poll the poll that asked for it, condensed, if it said which one it was
 * @param after the nonce of the completion that asked for it, if one did
 */
public record TaskGrant(
    long nonce, Fence fence, String worker, Optional<UUID> poll, OptionalLong after) {}
