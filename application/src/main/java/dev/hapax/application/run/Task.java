package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A granted step with all that its worker needs.
 *
 * @param run whose step the worker holds
 * @param attemptRemaining of the time of the attempt; empty = it has none
 * @param failure of the previous attempt
 * @param signals the unconsumed signals, in order
 * @param moreSignals the list of signals is incomplete
 * @param waking the signal that resumed the step, if the list of signals may not contain it
 * @param parts of the step, from earlier executions
 * @param signalOutputs the outputs of the signal steps before this step, in order
 * @param moreSignalOutputs the list of signal outputs is incomplete
 */
public record Task(
    Run run,
    Duration leaseRemaining,
    Optional<Duration> attemptRemaining,
    Optional<Failure> failure,
    List<RunReads.Received> signals,
    boolean moreSignals,
    Optional<RunReads.Received> waking,
    RunReads.Parts parts,
    List<RunReads.SignalOutput> signalOutputs,
    boolean moreSignalOutputs) {
  /** The largest number of signals and signal outputs of a task. */
  public static final int MAX_LISTED = 100;

  /**
   * Adds the time that the call waited: callers count the lease and the attempt from when they sent
   * the request.
   */
  Task afterWaiting(Duration waited) {
    return new Task(
        run,
        leaseRemaining.plus(waited),
        attemptRemaining.map(waited::plus),
        failure,
        signals,
        moreSignals,
        waking,
        parts,
        signalOutputs,
        moreSignalOutputs);
  }
}
