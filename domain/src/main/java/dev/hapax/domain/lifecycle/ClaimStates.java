package dev.hapax.domain.lifecycle;

/**
 * The statuses of a claimed entity: during the action, and after a failure.
 *
 * @param into the status during the action
 * @param revertTo the status after a failed or reverted action
 */
public record ClaimStates(String into, String revertTo) {}
