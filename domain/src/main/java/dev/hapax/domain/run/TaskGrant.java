package dev.hapax.domain.run;

import dev.hapax.domain.Fence;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The right of a worker to execute one step.
 *
 * @param nonce random; together with the fence the proof of ownership
 * @param poll hash of the attempt id of the poll that received it, if the poll had one
 * @param after the nonce of the completion that requested it as the next task, if one did
 */
public record TaskGrant(
    long nonce, Fence fence, String worker, Optional<UUID> poll, OptionalLong after) {}
