package dev.hapax.client;

/**
 * A run after a change by an operator.
 *
 * @param isAlready whether an earlier call had made the change
 */
public record Controlled(Run run, boolean isAlready) {}
