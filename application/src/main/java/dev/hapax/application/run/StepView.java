package dev.hapax.application.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.StepStatus;
import java.time.Instant;
import java.util.Optional;

/**
 * A step as its run's history tells it.
 *
 * @param index in the definition; of a step that code named, that of the code step
 * @param name in the definition, or as code named it
 * @param named whether code named it
 * @param worker who has or had it last
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
