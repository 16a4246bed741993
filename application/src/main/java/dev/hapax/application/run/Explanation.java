package dev.hapax.application.run;

import java.util.List;

/** Explains to people why a run does not progress. */
public record Explanation(Reason reason, List<String> sentences) {

  /** The reason, for programs. */
  public enum Reason {
    ENDED,
    FAILED,
    PAUSED,
    START_AT,
    RETRY_AT,
    TIMER,
    SIGNAL,
    WORKING,
    LEASE_OVER,
    NO_WORKER,
    QUEUED,
    UNKNOWN_EFFECT,
    CODE_CHANGED
  }
}
