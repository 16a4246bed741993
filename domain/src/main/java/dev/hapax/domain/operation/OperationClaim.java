package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;

/** The proof with which a holder refers to its grant of an operation. */
public record OperationClaim(OperationId id, long nonce, Fence fence) {}
