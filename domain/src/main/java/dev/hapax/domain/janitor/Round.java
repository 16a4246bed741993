package dev.hapax.domain.janitor;

import java.time.Instant;

/**
 * The last time a janitor looked.
 *
 * @param freed how many claims it took back in that round
 * @param complete whether it saw all there were; otherwise the next round goes on at once
 */
public record Round(Instant at, int freed, boolean complete) {}
