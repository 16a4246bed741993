package dev.hapax.domain.entity;

import dev.hapax.domain.run.Actor;
import java.time.Instant;

/**
 * One change of an entity, which raised its version to this one.
 *
 * @param status the one it left the entity in
 */
public record EntityEvent(long version, Instant at, Actor by, String status, EntityChange change) {}
