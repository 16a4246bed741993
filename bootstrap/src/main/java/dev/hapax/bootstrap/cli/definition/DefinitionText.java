package dev.hapax.bootstrap.cli.definition;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Timestamps;
import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.cli.run.SignalFilterText;
import dev.hapax.v1.Definition;
import dev.hapax.v1.Limit;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.TimerStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Definitions as text. */
final class DefinitionText {
  static final Columns<Definition> COLUMNS =
      Columns.of("DEFINITION", 24, Definition::getName)
          .add("VERSION", 12, Definition::getVersion)
          .addAged(
              "REGISTERED",
              10,
              (definition, now) -> ValueFormat.ago(definition.getRegisteredAt(), now));

  private DefinitionText() {}

  /** Returns the details and a table of the steps. */
  static List<String> lines(Definition definition, Instant now) {
    return Stream.of(details(definition, now), List.of(""), steps(definition.getStepsList()))
        .flatMap(List::stream)
        .toList();
  }

  private static List<String> details(Definition definition, Instant now) {
    var details = new DetailLines();
    details.add("definition", definition.getName());
    details.add("version", definition.getVersion());
    details.add("workspace", definition.getWorkspace());
    details.add("registered", ValueFormat.moment(definition.getRegisteredAt(), now));
    details.add(
        "registered by",
        CallerText.of(definition.getRegisteredBy(), definition.getRegisteredByPrincipal()));
    details.add("reason", definition.getReason());
    if (definition.hasTimeout()) {
      details.add("timeout of runs", ValueFormat.length(definition.getTimeout()));
    }
    definition.getLimitsList().forEach(limit -> details.add("limit of runs", text(limit)));
    return details.lines();
  }

  private static String text(Limit limit) {
    var numbers = new ArrayList<String>();
    if (limit.getMaxRunning() > 0) {
      numbers.add(Integer.toString(limit.getMaxRunning()));
    }
    if (limit.hasPer()) {
      numbers.add(limit.getMaxStarts() + " in " + ValueFormat.length(limit.getPer()));
    }
    return limit.getName() + ": " + String.join(", ", numbers);
  }

  /** Returns a table of the steps; a dash means the default. */
  private static List<String> steps(List<StepDefinition> steps) {
    var table = new Table("STEP", "KIND", "QUEUE", "LEASE", "ATTEMPTS", "WAITS");
    for (var step : steps) {
      table.add(row(step));
    }
    return table.lines();
  }

  private static String[] row(StepDefinition step) {
    return switch (step.getKindCase()) {
      case TASK -> {
        var task = step.getTask();
        var lease = task.hasLease() ? ValueFormat.length(task.getLease()) : "-";
        var kind = task.getAtMostOnce() ? "task at most once" : "task";
        var timeout = task.hasAttemptTimeout() ? task.getAttemptTimeout() : null;
        yield row(step, kind, task.getQueue(), lease, attempts(task.getRetry(), timeout), "-");
      }
      case CODE -> {
        var code = step.getCode();
        var lease = code.hasLease() ? ValueFormat.length(code.getLease()) : "-";
        var timeout = code.hasAttemptTimeout() ? code.getAttemptTimeout() : null;
        yield row(step, "code", code.getQueue(), lease, attempts(code.getRetry(), timeout), "-");
      }
      case TIMER -> row(step, "timer", "-", "-", "-", timer(step.getTimer()));
      case SIGNAL -> row(step, "signal", "-", "-", "-", signal(step.getSignal()));
      case KIND_NOT_SET -> row(step, "-", "-", "-", "-", "-");
    };
  }

  private static String[] row(
      StepDefinition step, String kind, String queue, String lease, String attempts, String waits) {
    return new String[] {step.getName(), kind, queue, lease, attempts, waits};
  }

  /** The number of attempts, and the time of each if it has an end. */
  private static String attempts(RetryPolicy retry, @Nullable Duration timeout) {
    var most = retry.getMaxAttempts() == 0 ? "-" : Integer.toString(retry.getMaxAttempts());
    return timeout == null ? most : most + ", " + ValueFormat.length(timeout) + " each";
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
