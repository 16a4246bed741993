package dev.hapax.application.monitoring;

import dev.hapax.application.run.WorkerPoll;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of one worker.
 *
 * @param lastPoll on this node
 * @param pollsWaiting the number of its waiting polls on this node
 * @param held the number of tasks it holds, up to the count limit
 * @param leaseUntil when the last of their leases expires
 */
public record WorkerState(
    String worker,
    Optional<WorkerPoll> lastPoll,
    int pollsWaiting,
    int held,
    Optional<Instant> leaseUntil) {}
