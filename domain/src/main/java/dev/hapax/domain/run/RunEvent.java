package dev.hapax.domain.run;

import java.time.Instant;

/**
 * One change of a run, which raised its version to this one.
 *
 * @param step the current step when it happened
 * @param attempt its attempt; 0 = before the first
 */
public record RunEvent(
    long version, Instant at, Actor by, int step, int attempt, RunChange change) {}
