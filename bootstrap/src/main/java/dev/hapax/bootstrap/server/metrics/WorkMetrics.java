package dev.hapax.bootstrap.server.metrics;

import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.run.ReleaseTask;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Consumer;

/** Counts committed work events. */
final class WorkMetrics implements Consumer<WorkEvent> {
  private final TopLabels definitions = new TopLabels();
  private final TopLabels effects = new TopLabels();
  private final TopLabels workspaces = new TopLabels();
  private final Counter ended;
  private final Counter retries;
  private final Counter releases;
  private final Counter leases;
  private final Counter deadLettered;
  private final Counter indeterminate;

  WorkMetrics(PrometheusRegistry registry) {
    ended =
        counter(
            registry,
            "hapax_runs_ended_total",
            "Runs that ended, by definition and status; a run that is retried ends again.",
            "workspace",
            "definition",
            "status");
    retries =
        counter(
            registry,
            "hapax_retries_total",
            "Failed attempts of steps that are retried.",
            "workspace",
            "definition");
    releases =
        counter(
            registry,
            "hapax_steps_released_total",
            "Steps that a worker released for a reason: its code does not fit the run (CODE_CHANGED),"
                + " or another one (OTHER).",
            "workspace",
            "reason");
    leases =
        counter(
            registry,
            "hapax_leases_expired_total",
            "Leases that their holder did not renew in time: of a task, an operation, an action or"
                + " a recovery.",
            "workspace",
            "of");
    deadLettered =
        counter(
            registry,
            "hapax_effects_dead_lettered_total",
            "After-effects whose run ended as FAILED.",
            "workspace",
            "effect");
    indeterminate =
        counter(
            registry,
            "hapax_operations_turned_indeterminate_total",
            "Operations that became INDETERMINATE.",
            "workspace");
  }

  private static Counter counter(
      PrometheusRegistry registry, String name, String help, String... labels) {
    return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
  }

  @Override
  public void accept(WorkEvent event) {
    var workspace = event.workspace().name();
    switch (event) {
      case WorkEvent.RunEnded(_, var definition, var status) ->
          ended(workspace, definition, status.name());
      case WorkEvent.RunFailed failed -> ended(workspace, failed.definition(), "FAILED");
      case WorkEvent.EffectDeadLettered dead ->
          deadLettered.labelValues(effects.of(workspace, dead.effect())).inc();
      case WorkEvent.RetryScheduled retry ->
          retries.labelValues(definitions.of(workspace, retry.definition())).inc();
      case WorkEvent.StepReleased released ->
          releases.labelValues(workspaces.of(workspace)[0], reason(released.reason())).inc();
      case WorkEvent.TaskLeaseExpired _ -> leaseExpired(workspace, "task");
      case WorkEvent.OperationLeaseExpired _ -> leaseExpired(workspace, "operation");
      case WorkEvent.EntityLeaseExpired lost ->
          leaseExpired(workspace, lost.recovery() ? "recovery" : "action");
      case WorkEvent.OperationIndeterminate _ ->
          indeterminate.labelValues(workspaces.of(workspace)).inc();
      case WorkEvent.IntentTaken _ -> {}
    }
  }

  /** Codes of workers are not bounded, so that only the known one is a label. */
  private static String reason(String code) {
    return code.equals(ReleaseTask.CODE_CHANGED) ? code : "OTHER";
  }

  private void ended(String workspace, String definition, String status) {
    var labels = definitions.of(workspace, definition);
    ended.labelValues(labels[0], labels[1], status).inc();
  }

  private void leaseExpired(String workspace, String of) {
    leases.labelValues(workspaces.of(workspace)[0], of).inc();
  }
}
