package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Run;
import dev.hapax.v1.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs and their steps as text, with ages relative to an instant. */
record RunText(Instant now) {
  List<String> table(List<Run> runs) {
    var table =
        Table.ofWidths(
            new Column("RUN", 30),
            new Column("DEFINITION", 20),
            new Column("STATUS", 9),
            new Column("STEP", 20),
            new Column("AGE", 4),
            new Column("LABELS", 24),
            new Column("SUPERSESSION", 16));
    for (var run : runs) {
      table.add(
          run.getId(),
          definition(run),
          ValueFormat.status(run.getStatus()),
          ValueFormat.orDash(run.getCurrentStep()),
          ValueFormat.duration(Duration.between(ValueFormat.instant(run.getCreatedAt()), now)),
          ValueFormat.line(ValueFormat.orDash(labels(run.getLabelsMap()))),
          ValueFormat.orDash(supersession(run)));
    }
    return table.lines();
  }

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

  static String labels(Map<String, String> labels) {
    return new TreeMap<>(labels)
        .entrySet().stream()
            .map(label -> label.getKey() + "=" + label.getValue())
            .collect(Collectors.joining(" "));
  }

  List<String> details(Run run) {
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
    }
    return details.lines();
  }

  List<String> steps(List<Step> steps) {
    var table = new Table("STEP", "STATUS", "ATTEMPT", "QUEUE", "WORKER", "TOOK", "RESULT");
    for (var step : steps) {
      table.add(
          (step.getRecordedBy().isEmpty() ? "" : "  ") + step.getName(),
          RunStatusOption.text(step.getStatus()),
          step.getAttempt() == 0 ? "-" : Integer.toString(step.getAttempt()),
          ValueFormat.orDash(step.getQueue()),
          ValueFormat.orDash(step.getWorkerId()),
          step.hasStartedAt() && step.hasEndedAt()
              ? ValueFormat.took(step.getStartedAt(), step.getEndedAt())
              : "-",
          ValueFormat.line(ValueFormat.orDash(result(step))));
    }
    return table.lines();
  }

  /** Returns the result of a step, or what it waits for. */
  private String result(Step step) {
    if (step.hasSignalFilter()) {
      return "waits for "
          + SignalFilterText.of(step.getSignalFilter())
          + (step.hasDueAt() ? " until " + ValueFormat.moment(step.getDueAt(), now) : "");
    }
    if (step.hasDueAt()) {
      return (step.hasFailure() ? ValueFormat.failure(step.getFailure()) + "; " : "") + due(step);
    }
    if (step.hasOutput()) {
      return ValueFormat.payload(step.getOutput());
    }
    return step.hasFailure() ? ValueFormat.failure(step.getFailure()) : "";
  }

  private String due(Step step) {
    var moment = ValueFormat.moment(step.getDueAt(), now);
    return ValueFormat.instant(step.getDueAt()).isAfter(now)
        ? (step.hasFailure() ? "retry " : "continues ") + moment
        : "waiting for a worker since " + moment;
  }
}
