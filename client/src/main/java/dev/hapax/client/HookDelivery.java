package dev.hapax.client;

/**
 * What became of a signal to the owner of a token.
 *
 * @param runId the owner
 */
public record HookDelivery(String runId, SignalDelivery delivery) {}
