package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A step that was granted, with what its worker needs.
 *
 * @param run held by the worker
 * @param failure of the attempt before
 * @param signals the unconsumed ones, in order
 * @param moreSignals not all of them are here
 * @param waking the signal that woke the step, where there are so many that it could be left out
 * @param recorded what its code recorded before, in order
 * @param moreRecorded not all of it is here
 * @param signalOutputs what the signal steps before this step were completed with, in order
 * @param moreSignalOutputs not all of them are here
 */
public record Task(
    Run run,
    Duration leaseRemaining,
    Optional<Failure> failure,
    List<RunReads.Received> signals,
    boolean moreSignals,
    Optional<RunReads.Received> waking,
    List<RunReads.Recorded> recorded,
    boolean moreRecorded,
    List<RunReads.SignalOutput> signalOutputs,
    boolean moreSignalOutputs) {
  /** How many signals, records and outputs of signal steps come with a task. */
  public static final int MAX_LISTED = 100;

  /** The same for a caller who counts the lease from when it began to wait. */
  Task afterWaiting(Duration waited) {
    return new Task(
        run,
        leaseRemaining.plus(waited),
        failure,
        signals,
        moreSignals,
        waking,
        recorded,
        moreRecorded,
        signalOutputs,
        moreSignalOutputs);
  }
}
