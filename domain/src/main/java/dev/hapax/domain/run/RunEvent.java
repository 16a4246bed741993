package dev.hapax.domain.run;

import java.time.Instant;

/**
 * One event of a run's history; its version is the run's version after it.
 *
 * @param step index of the current step at that time
 * @param attempt of that step; 0 = before the first
 */
public record RunEvent(
    long version, Instant at, Actor actor, int step, int attempt, RunChange change) {}
