package dev.hapax.application.monitoring;

import java.time.Duration;
import java.util.Optional;

/**
 * The state of one queue.
 *
 * @param ready the number of ready tasks, up to the count limit
 * @param oldest how long the first of them has been ready
 * @param pollsWaiting the number of waiting polls on this node
 * @param held the number of held tasks, up to the count limit
 */
public record QueueState(
    String queue, int ready, Optional<Duration> oldest, int pollsWaiting, int held) {}
