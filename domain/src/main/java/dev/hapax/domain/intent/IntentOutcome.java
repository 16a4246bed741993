package dev.hapax.domain.intent;

import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.SignalDisposition;
import java.util.Optional;

/** The outcome of an intent that was taken. */
public sealed interface IntentOutcome {
  /**
   * The outcome of a start, as the rpc would have answered.
   *
   * @param run the run that stands for the request; empty = none
   * @param owner the run that owns the token, or owned it until now
   * @param signal what the signal did to the owner, or to the run that was created
   */
  record Started(
      StartDisposition disposition,
      Optional<RunId> run,
      Optional<RunId> owner,
      Optional<SignalDisposition> signal)
      implements IntentOutcome {
    static Started of(StartDisposition disposition, RunId run) {
      return new Started(disposition, Optional.of(run), Optional.empty(), Optional.empty());
    }
  }

  /** The run has received the signal, now or before. */
  record Signaled(RunId run, SignalDisposition disposition) implements IntentOutcome {}

  /** The run is cancelled, now or since before. */
  record Cancelled(RunId run) implements IntentOutcome {}

  /**
   * The record is completed.
   *
   * @param run of the task, or the run that the action started as its after-effect
   */
  record Completed(Optional<RunId> run) implements IntentOutcome {}

  /**
   * Nothing was changed, and nothing is tried again.
   *
   * @param run that the error is about
   * @param detail what the error does not say; may be empty
   */
  record Failed(IntentError error, Optional<RunId> run, String detail) implements IntentOutcome {
    static Failed of(IntentError error) {
      return new Failed(error, Optional.empty(), "");
    }

    static Failed of(IntentError error, RunId run, String detail) {
      return new Failed(error, Optional.of(run), detail);
    }
  }

  /** The outcome of a start, named as in the API. */
  enum StartDisposition {
    CREATED,
    EXISTING,
    REJECTED,
    USED_EXISTING,
    SIGNALED,
    SUPERSEDED,
    QUEUED
  }
}
