package dev.hapax.console.lifecycle;

import java.util.Optional;

/**
 * A step of a lifecycle for one requester.
 *
 * @param requester who takes it; empty = any
 * @param claimState the status of the entity while a holder acts; empty = the step has no claim
 * @param revertTo the status after an action without success
 * @param to the status after success
 */
public record LifecycleEdge(
    String stepKey,
    String requester,
    String from,
    Optional<String> claimState,
    Optional<String> revertTo,
    String to,
    String action,
    String afterEffect) {}
