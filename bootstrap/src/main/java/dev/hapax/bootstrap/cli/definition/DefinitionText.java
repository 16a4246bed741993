package dev.hapax.bootstrap.cli.definition;

import com.google.protobuf.util.Timestamps;
import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.cli.run.SignalFilterText;
import dev.hapax.v1.Definition;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TimerStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Definitions as text, with ages relative to an instant. */
record DefinitionText(Instant now) {
  List<String> table(List<Definition> definitions) {
    var table =
        Table.ofWidths(
            new Column("DEFINITION", 24), new Column("VERSION", 12), new Column("REGISTERED", 10));
    for (var definition : definitions) {
      var ago = Duration.between(ValueFormat.instant(definition.getRegisteredAt()), now);
      table.add(definition.getName(), definition.getVersion(), ValueFormat.duration(ago) + " ago");
    }
    return table.lines();
  }

  List<String> details(Definition definition) {
    var details = new DetailLines();
    details.add("definition", definition.getName());
    details.add("version", definition.getVersion());
    details.add("workspace", definition.getWorkspace());
    details.add("registered", ValueFormat.moment(definition.getRegisteredAt(), now));
    details.add(
        "registered by",
        CallerText.of(definition.getRegisteredBy(), definition.getRegisteredByPrincipal()));
    details.add("reason", definition.getReason());
    return details.lines();
  }

  /** Returns a table of the steps; a dash means the default. */
  List<String> steps(List<StepDefinition> steps) {
    var table = new Table("STEP", "KIND", "QUEUE", "LEASE", "ATTEMPTS", "WAITS");
    for (var step : steps) {
      switch (step.getKindCase()) {
        case TASK -> {
          var task = step.getTask();
          var lease = task.hasLease() ? ValueFormat.length(task.getLease()) : "-";
          table.add(step.getName(), "task", task.getQueue(), lease, attempts(task.getRetry()), "-");
        }
        case CODE -> {
          var code = step.getCode();
          var lease = code.hasLease() ? ValueFormat.length(code.getLease()) : "-";
          table.add(step.getName(), "code", code.getQueue(), lease, attempts(code.getRetry()), "-");
        }
        case TIMER -> table.add(step.getName(), "timer", "-", "-", "-", timer(step.getTimer()));
        case SIGNAL -> table.add(step.getName(), "signal", "-", "-", "-", signal(step.getSignal()));
        case KIND_NOT_SET -> table.add(step.getName(), "-", "-", "-", "-", "-");
      }
    }
    return table.lines();
  }

  private static String attempts(RetryPolicy retry) {
    return retry.getMaxAttempts() == 0 ? "-" : Integer.toString(retry.getMaxAttempts());
  }

  private static String timer(TimerStep timer) {
    return timer.hasDuration()
        ? ValueFormat.length(timer.getDuration())
        : "until " + Timestamps.toString(timer.getUntil());
  }

  private static String signal(SignalStep signal) {
    return "for "
        + SignalFilterText.of(signal.getType(), signal.getHookName())
        + (signal.hasTimeout() ? ", at most " + ValueFormat.length(signal.getTimeout()) : "");
  }
}
