package dev.hapax.domain.entity;

import dev.hapax.domain.run.Actor;
import java.time.Instant;

/**
 * One event of an entity's history; its version is the entity's version after it.
 *
 * @param status of the entity after it
 */
public record EntityEvent(
    long version, Instant at, Actor actor, String status, EntityChange change) {}
