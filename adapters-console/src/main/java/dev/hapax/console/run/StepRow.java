package dev.hapax.console.run;

import dev.hapax.console.view.DurationFormat;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.console.view.StatusTag;
import dev.hapax.console.view.TimeSpan;
import dev.hapax.v1.Step;
import java.time.Duration;
import java.util.List;

/**
 * A step of a run.
 *
 * @param recorded whether a code step recorded it
 * @param bar when it was worked on; its width is 0 if it has not begun
 */
public record StepRow(
    String name,
    boolean recorded,
    StatusTag status,
    int attempt,
    String worker,
    String took,
    TimeSpan.Bar bar,
    List<Fact> facts) {
  static StepRow of(Step step, TimeSpan span, Facts facts) {
    var from = span.at(step.getStartedAt());
    var to = step.hasEndedAt() ? span.at(step.getEndedAt()) : facts.now();
    var begun = step.hasStartedAt();
    return new StepRow(
        step.getName(),
        !step.getRecordedBy().isEmpty(),
        StatusTag.of(step.getStatus()),
        step.getAttempt(),
        step.getWorkerId(),
        begun ? DurationFormat.exact(Duration.between(from, to)) : "",
        begun ? span.bar(from, to) : TimeSpan.Bar.NONE,
        facts.of(step));
  }
}
