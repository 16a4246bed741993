package dev.hapax.application.run;

import java.util.List;
import java.util.stream.Stream;

/** Explains to people why a run does not progress. */
public record Explanation(Reason reason, List<String> sentences) {

  /** This explanation with more sentences, behind the first one. */
  public Explanation with(List<String> details) {
    return new Explanation(
        reason,
        Stream.of(sentences.stream().limit(1), details.stream(), sentences.stream().skip(1))
            .flatMap(some -> some)
            .toList());
  }

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
    LIMIT,
    TURN,
    UNKNOWN_EFFECT,
    CODE_CHANGED
  }
}
