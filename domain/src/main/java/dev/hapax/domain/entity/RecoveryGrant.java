package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import dev.hapax.domain.PrincipalName;
import java.util.Optional;
import java.util.UUID;

/**
 * The right of a module to decide about an action whose lease expired.
 *
 * @param poll hash of the attempt id of the poll that received it, if the poll had one
 * @param principal of the poll, which the server verified
 */
public record RecoveryGrant(
    long nonce, Fence fence, String worker, Optional<UUID> poll, PrincipalName principal) {}
