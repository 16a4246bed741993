package dev.hapax.application.run;

import java.util.List;

/** Why a run does not move, in sentences for people. */
public record Explanation(Reason reason, List<String> sentences) {

  /** The reason for programs. */
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
    QUEUED
  }
}
