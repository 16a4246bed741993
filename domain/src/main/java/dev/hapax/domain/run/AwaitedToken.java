package dev.hapax.domain.run;

import java.time.Duration;
import java.util.UUID;

/**
 * A hook token that a run waits for.
 *
 * @param hash of the token
 * @param name by which the run refers to it; empty = none
 * @param retention of the token after the end of the run
 */
public record AwaitedToken(UUID hash, String name, Duration retention) {}
