package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.PartState;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunCount;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs and their steps as text. */
final class RunText {
  private static final String NONE = "-";

  static final Columns<Run> COLUMNS =
      Columns.of("RUN", 30, Run::getId)
          .add("DEFINITION", 20, RunText::definition)
          .add("STATUS", 9, run -> ValueFormat.status(run.getStatus()))
          .add("STEP", 20, run -> ValueFormat.orDash(run.getCurrentStep()))
          .addAged("AGE", 4, (run, now) -> ValueFormat.age(run.getCreatedAt(), now))
          .add("FAILURE", 16, run -> ValueFormat.orDash(run.getFailure().getCode()))
          .add(
              "LABELS", 24, run -> ValueFormat.line(ValueFormat.orDash(labels(run.getLabelsMap()))))
          .add("SUPERSESSION", 16, run -> ValueFormat.orDash(supersession(run)));

  static final Columns<RunCount> COUNTS =
      Columns.<RunCount>of("STATUS", 9, count -> EnumOption.text(count.getStatus()))
          .add("DEFINITION", 24, count -> ValueFormat.line(count.getDefinition()))
          .add("RUNS", 6, count -> count.getRuns() + (count.getTruncated() ? "+" : ""));

  static final Columns<Step> STEPS =
      Columns.<Step>of(
              "STEP", 0, step -> (step.getRecordedBy().isEmpty() ? "" : "  ") + step.getName())
          .add("STATUS", 0, RunText::status)
          .add(
              "ATTEMPT",
              0,
              step -> step.getAttempt() == 0 ? NONE : Integer.toString(step.getAttempt()))
          .add("QUEUE", 0, step -> ValueFormat.orDash(step.getQueue()))
          .add("WORKER", 0, step -> ValueFormat.orDash(step.getWorkerId()))
          .add(
              "TOOK",
              0,
              step ->
                  step.hasStartedAt() && step.hasEndedAt()
                      ? ValueFormat.took(step.getStartedAt(), step.getEndedAt())
                      : NONE)
          .addAged(
              "RESULT", 0, (step, now) -> ValueFormat.line(ValueFormat.orDash(result(step, now))));

  private RunText() {}

  private static String supersession(Run run) {
    return Stream.of(named("supersedes ", run.getSupersedes()), named("by ", run.getSupersededBy()))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private static String named(String name, String run) {
    return run.isEmpty() ? "" : name + run;
  }

  private static String definition(Run run) {
    return run.getDefinition() + " " + run.getDefinitionVersion();
  }

  private static String labels(Map<String, String> labels) {
    return new TreeMap<>(labels)
        .entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(" "));
  }

  static List<String> details(Run run, Instant now) {
    var details = new DetailLines();
    details.add("run", run.getId());
    details.add("workspace", run.getWorkspace());
    details.add("definition", definition(run));
    details.add("status", ValueFormat.status(run.getStatus()));
    details.add("step", run.getCurrentStep());
    details.add("version", Long.toString(run.getVersion()));
    details.add("labels", labels(run.getLabelsMap()));
    details.add("created", ValueFormat.moment(run.getCreatedAt(), now));
    if (run.hasStartAt()) {
      details.add("not before", ValueFormat.moment(run.getStartAt(), now));
    }
    if (run.hasDeadline()) {
      details.add("deadline", ValueFormat.moment(run.getDeadline(), now));
    }
    if (run.hasStartedAt()) {
      details.add("started", ValueFormat.moment(run.getStartedAt(), now));
    }
    if (run.hasEndedAt()) {
      details.add("ended", ValueFormat.moment(run.getEndedAt(), now));
    }
    details.add("supersedes", run.getSupersedes());
    details.add("superseded by", run.getSupersededBy());
    details.add("input", ValueFormat.payload(run.getInput()));
    details.add("state", ValueFormat.payload(run.getState()));
    if (run.hasOutput()) {
      details.add("output", ValueFormat.payload(run.getOutput()));
    }
    if (run.hasFailure()) {
      details.add("failure", ValueFormat.failure(run.getFailure()));
      details.add("failed part", run.getFailure().getPart());
    }
    return details.lines();
  }

  private static boolean isOpenPart(Step step) {
    return !step.getRecordedBy().isEmpty() && step.getStatus() == StepStatus.STEP_STATUS_RUNNING;
  }

  /** Returns the status; that of a part without a result is its state. */
  private static String status(Step step) {
    if (step.getInDoubt()) {
      return "IN_DOUBT";
    }
    if (!isOpenPart(step)) {
      return EnumOption.text(step.getStatus());
    }
    return EnumOption.text(
        step.hasDueAt() ? PartState.PART_STATE_RETRY : PartState.PART_STATE_BEGUN);
  }

  /** Returns the result of a step, or what it waits for. */
  private static String result(Step step, Instant now) {
    if (step.hasSignalFilter()) {
      return "waits for "
          + SignalFilterText.of(step.getSignalFilter())
          + (step.hasDueAt() ? " until " + ValueFormat.moment(step.getDueAt(), now) : "");
    }
    if (step.hasDueAt()) {
      return (step.hasFailure() ? ValueFormat.failure(step.getFailure()) + "; " : "")
          + due(step, now);
    }
    if (step.hasOutput()) {
      return ValueFormat.payload(step.getOutput());
    }
    return step.hasFailure() ? ValueFormat.failure(step.getFailure()) : "";
  }

  private static String due(Step step, Instant now) {
    var moment = ValueFormat.moment(step.getDueAt(), now);
    if (isOpenPart(step)) {
      return "retry " + moment;
    }
    return ValueFormat.instant(step.getDueAt()).isAfter(now)
        ? (step.hasFailure() ? "retry " : "continues ") + moment
        : "waiting for a worker since " + moment;
  }
}
