package dev.hapax.console.run;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.DurationFormat;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.view.TimeSpan;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A step of a run.
 *
 * @param recorded whether it is a part of a code step
 * @param bar when it was worked on; its width is 0 if it has not begun
 * @param failure of its last attempt; empty = none
 * @param due when it proceeds by itself
 * @param settle the address of the form that settles it
 */
public record StepRow(
    String name,
    boolean recorded,
    StatusTag status,
    int attempt,
    String worker,
    String took,
    TimeSpan.Bar bar,
    String failure,
    Optional<DisplayTime> due,
    Optional<String> settle,
    List<Fact> facts) {
  static StepRow of(Step step, TimeSpan span, Settleable settleable, Facts facts) {
    var from = span.at(step.getStartedAt());
    var to = step.hasEndedAt() ? span.at(step.getEndedAt()) : span.to();
    var begun = step.hasStartedAt();
    return new StepRow(
        step.getName(),
        !step.getRecordedBy().isEmpty(),
        status(step, settleable),
        step.getAttempt(),
        step.getWorkerId(),
        begun ? DurationFormat.exact(Duration.between(from, to)) : "",
        begun ? span.bar(from, to) : TimeSpan.Bar.NONE,
        (step.getFailure().getCode() + " " + step.getFailure().getMessage()).strip(),
        DisplayTime.optional(step.hasDueAt(), step.getDueAt(), facts.now()),
        settleable.form(step),
        facts.of(step));
  }

  /** A part without a result has begun, or waits for its next attempt. */
  private static StatusTag status(Step step, Settleable settleable) {
    if (step.getInDoubt()) {
      return StatusTag.of("in doubt", "failed");
    }
    if (step.getRecordedBy().isEmpty() || step.getStatus() != StepStatus.STEP_STATUS_RUNNING) {
      return StatusTag.of(step.getStatus());
    }
    if (step.hasDueAt()) {
      return StatusTag.of("retry", "waiting");
    }
    return settleable.isFailed()
        ? StatusTag.of("in doubt", "failed")
        : StatusTag.of("begun", "active");
  }
}
