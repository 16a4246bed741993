package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.StepStatus;
import java.time.Instant;
import java.util.Optional;

/**
 * A step according to its run's history, or a part of one.
 *
 * @param index in the definition; for a part, that of its step
 * @param name in the definition, or given by the worker's code
 * @param named whether it is a part, which the worker's code named
 * @param worker that holds it or held it last
 * @param dueAt of a part, when its next attempt is due
 * @param released why a worker released the step, if that was the last that happened to it
 */
public record StepView(
    int index,
    String name,
    boolean named,
    StepStatus status,
    int attempt,
    Optional<Payload> output,
    Optional<Failure> failure,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt,
    Optional<String> worker,
    Optional<Instant> dueAt,
    Optional<Failure> released) {

  /** A step that has not begun. */
  static StepView pending(int index, String name, StepStatus status) {
    return notBegun(index, name, false, status);
  }

  /** A part of which nothing is known yet. */
  static StepView part(int step, String name) {
    return notBegun(step, name, true, StepStatus.RUNNING);
  }

  private static StepView notBegun(int index, String name, boolean named, StepStatus status) {
    return new StepView(
        index,
        name,
        named,
        status,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Whether it is a part that has begun or failed, and has not ended. */
  boolean isOpenPart() {
    return named && endedAt.isEmpty();
  }

  StepView withoutOutput() {
    return ended(status, Optional.empty(), failure, endedAt);
  }

  /** The same step after an attempt began. */
  StepView begun(int number, Instant at, Optional<String> by) {
    return new StepView(
        index,
        name,
        named,
        StepStatus.RUNNING,
        number,
        output,
        failure,
        startedAt.or(() -> Optional.of(at)),
        Optional.empty(),
        by,
        Optional.empty(),
        Optional.empty());
  }

  /** The same step with another result. */
  StepView ended(
      StepStatus next, Optional<Payload> result, Optional<Failure> cause, Optional<Instant> at) {
    return new StepView(
        index,
        name,
        named,
        next,
        attempt,
        result,
        cause,
        startedAt,
        at,
        worker,
        Optional.empty(),
        Optional.empty());
  }

  /** The same part after an attempt failed; empty = no other follows. */
  StepView failed(int number, Failure cause, Optional<Instant> retryAt, Instant at) {
    return new StepView(
        index,
        name,
        named,
        retryAt.isPresent() ? StepStatus.RUNNING : StepStatus.FAILED,
        number,
        Optional.empty(),
        Optional.of(cause),
        startedAt.or(() -> Optional.of(at)),
        retryAt.isPresent() ? Optional.empty() : Optional.of(at),
        worker,
        retryAt,
        Optional.empty());
  }

  /** The same step or part, to be attempted again from this time on. */
  StepView repeated(Instant from) {
    return new StepView(
        index,
        name,
        named,
        StepStatus.RUNNING,
        attempt,
        Optional.empty(),
        failure,
        startedAt,
        Optional.empty(),
        worker,
        named ? Optional.of(from) : Optional.empty(),
        Optional.empty());
  }

  /** The same step after its worker released it for this reason. */
  StepView released(Optional<Failure> reason) {
    return new StepView(
        index, name, named, status, attempt, output, failure, startedAt, endedAt, worker, dueAt,
        reason);
  }
}
