package dev.hapax.domain.lifecycle;

/**
 * What an entity is in while somebody acts on it.
 *
 * @param into the status it is in meanwhile
 * @param revertTo the status it goes back to if nothing comes of it
 */
public record ClaimStates(String into, String revertTo) {}
