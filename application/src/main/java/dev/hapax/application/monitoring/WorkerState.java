package dev.hapax.application.monitoring;

import dev.hapax.application.run.WorkerPoll;
import java.time.Instant;
import java.util.Optional;

/**
 * One worker.
 *
 * @param lastPoll on this node
 * @param pollsWaiting on this node
 * @param held tasks it holds, as far as they were counted
 * @param leaseUntil when the last of their leases ends
 */
public record WorkerState(
    String worker,
    Optional<WorkerPoll> lastPoll,
    int pollsWaiting,
    int held,
    Optional<Instant> leaseUntil) {}
