package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.StepStatus;
import java.time.Instant;
import java.util.Optional;

/**
 * A step according to its run's history.
 *
 * @param index in the definition; for a named step, that of its code step
 * @param name in the definition, or given by the worker's code
 * @param named whether the worker's code named it
 * @param worker that holds it or held it last
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
    Optional<String> worker) {

  StepView withoutOutput() {
    return new StepView(
        index, name, named, status, attempt, Optional.empty(), failure, startedAt, endedAt, worker);
  }
}
