package dev.hapax.application.monitoring;

import java.time.Duration;
import java.util.Optional;

/**
 * One queue.
 *
 * @param ready tasks that a worker could take now, as far as they were counted
 * @param oldest for how long the first of them has been ready
 * @param pollsWaiting on this node
 * @param held tasks that workers hold, as far as they were counted
 */
public record QueueState(
    String queue, int ready, Optional<Duration> oldest, int pollsWaiting, int held) {}
