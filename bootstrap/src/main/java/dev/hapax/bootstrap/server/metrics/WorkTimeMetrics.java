package dev.hapax.bootstrap.server.metrics;

import dev.hapax.domain.monitoring.WorkTime;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Measures committed times of tasks, steps and runs. */
final class WorkTimeMetrics implements Consumer<WorkTime> {
  /** Few, as each is a series for each step. */
  private static final double[] STEP_SECONDS = {0.01, 0.1, 1, 10, 60, 600, 3_600};

  private static final double[] RUN_SECONDS = {0.1, 1, 10, 60, 600, 3_600, 86_400};

  private final TopLabels steps = new TopLabels();
  private final TopLabels definitions = new TopLabels();
  private final Histogram waits;
  private final Histogram executions;
  private final Histogram runs;

  WorkTimeMetrics(PrometheusRegistry registry) {
    waits =
        histogram(
            registry,
            "hapax_task_schedule_to_start_seconds",
            "How long tasks were ready until a worker got them.",
            STEP_SECONDS,
            "workspace",
            "queue",
            "step");
    executions =
        histogram(
            registry,
            "hapax_step_execution_seconds",
            "Duration of attempts of steps by workers, from the task to its completion or failure.",
            STEP_SECONDS,
            "workspace",
            "queue",
            "step");
    runs =
        histogram(
            registry,
            "hapax_run_duration_seconds",
            "Duration of runs that ended, from their start or their start_at.",
            RUN_SECONDS,
            "workspace",
            "definition",
            "status");
  }

  private static Histogram histogram(
      PrometheusRegistry registry, String name, String help, double[] bounds, String... labels) {
    return Histogram.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .classicOnly()
        .classicUpperBounds(bounds)
        .register(registry);
  }

  @Override
  public void accept(WorkTime time) {
    switch (time) {
      case WorkTime.TaskStarted(var workspace, var queue, var step, var waited) ->
          waits.labelValues(steps.of(workspace.name(), queue, step)).observe(seconds(waited));
      case WorkTime.StepExecuted(var workspace, var queue, var step, var took) ->
          executions.labelValues(steps.of(workspace.name(), queue, step)).observe(seconds(took));
      case WorkTime.RunTook(var workspace, var definition, var status, var took) -> {
        var labels = definitions.of(workspace.name(), definition);
        runs.labelValues(labels[0], labels[1], status.name()).observe(seconds(took));
      }
    }
  }

  private static double seconds(Duration time) {
    return time.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
