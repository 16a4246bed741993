package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;

/** What a holder sends back: which operation, which grant. */
public record OperationClaim(OperationId id, long nonce, Fence fence) {}
