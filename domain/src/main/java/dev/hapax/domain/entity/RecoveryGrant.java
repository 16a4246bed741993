package dev.hapax.domain.entity;

import dev.hapax.domain.Fence;
import java.util.Optional;
import java.util.UUID;

/**
 * The right to say what became of an action whose holder is gone.
 *
 * @param poll which poll of the module asked for it, condensed, if it said which one it was
 */
public record RecoveryGrant(long nonce, Fence fence, String worker, Optional<UUID> poll) {}
