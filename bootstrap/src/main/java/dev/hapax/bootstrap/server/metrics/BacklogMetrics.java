package dev.hapax.bootstrap.server.metrics;

import dev.hapax.domain.monitoring.BacklogReads.Backlog;
import dev.hapax.domain.monitoring.BacklogReads.NodeCount;
import dev.hapax.domain.monitoring.BacklogReads.QueueCount;
import dev.hapax.domain.monitoring.BacklogReads.ReadyTasks;
import dev.hapax.domain.monitoring.BacklogReads.StatusCount;
import dev.hapax.domain.monitoring.BacklogReads.WorkspaceCount;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** The backlog in the database, read at most every 15 s. */
final class BacklogMetrics {
  private final CachedReading<Backlog> reading;

  /**
   * Registers the metrics without reading the database.
   *
   * @param nanoTime clock such as {@link System#nanoTime}
   */
  BacklogMetrics(Supplier<CompletableFuture<Backlog>> read, LongSupplier nanoTime) {
    reading = new CachedReading<>(read, Duration.ofSeconds(15), Duration.ofMinutes(5), nanoTime);
  }

  void register(PrometheusRegistry registry) {
    counts(
        registry,
        "hapax_tasks_ready",
        "Tasks that are ready for a worker, up to 10,000 of each queue.",
        List.of("workspace", "queue"),
        Backlog::ready,
        ReadyTasks::number,
        BacklogMetrics::queue);
    gauge(
        registry,
        "hapax_tasks_ready_oldest_seconds",
        "Age of the oldest ready task.",
        List.of("workspace", "queue"),
        backlog ->
            new TopSamples(Math::max)
                .of(
                    byNumber(backlog.ready(), ReadyTasks::number),
                    ready -> seconds(ready.age()),
                    BacklogMetrics::queue));
    counts(
        registry,
        "hapax_tasks_held",
        "Tasks that workers hold, of the 10,000 runs whose lease or timer ends first.",
        List.of("workspace", "queue"),
        Backlog::held,
        QueueCount::number,
        held -> List.of(held.workspace().name(), held.queue()));
    counts(
        registry,
        "hapax_runs",
        "Runs by status, up to 10,000 of each, FAILED and CANCELLED up to 1,000; COMPLETED ones are"
            + " not counted.",
        List.of("workspace", "status"),
        Backlog::runs,
        StatusCount::number,
        runs -> List.of(runs.workspace().name(), runs.status().name()));
    counts(
        registry,
        "hapax_operations_indeterminate",
        "Operations that wait for an operator, up to 10,000 of each workspace.",
        List.of("workspace"),
        Backlog::indeterminate,
        WorkspaceCount::number,
        operations -> List.of(operations.workspace().name()));
    counts(
        registry,
        "hapax_operations_abandoned",
        "Operations whose lease expired more than a minute ago and that no call has taken over, of the first 10,000.",
        List.of("workspace"),
        Backlog::abandoned,
        WorkspaceCount::number,
        operations -> List.of(operations.workspace().name()));
    gauge(
        registry,
        "hapax_timers_late",
        "Timers, ends of waits and ends of leases that are more than 5 s late, up to 10,000.",
        List.of(),
        backlog -> Stream.of(new TopSamples.Sample(List.of(), backlog.timersLate())));
    gauge(
        registry,
        "hapax_timers_late_seconds",
        "Delay of the oldest late timer; 0 = none.",
        List.of(),
        backlog -> Stream.of(new TopSamples.Sample(List.of(), seconds(backlog.timerLag()))));
    gauge(
        registry,
        "hapax_intents_posted",
        "Intents that no server has taken, up to 10,000.",
        List.of(),
        backlog -> Stream.of(new TopSamples.Sample(List.of(), backlog.intents())));
    gauge(
        registry,
        "hapax_intents_posted_oldest_seconds",
        "Age of the oldest intent that no server has taken; 0 = none.",
        List.of(),
        backlog -> Stream.of(new TopSamples.Sample(List.of(), seconds(backlog.intentAge()))));
    counts(
        registry,
        "hapax_nodes",
        "Servers of this database by version; a killed one counts for 60 s.",
        List.of("version"),
        Backlog::nodes,
        NodeCount::number,
        nodes -> List.of(nodes.version()));
    GaugeWithCallback.builder()
        .name("hapax_backlog_age_seconds")
        .help("Age of the backlog metrics.")
        .callback(
            callback ->
                reading
                    .latest()
                    .flatMap(_ -> reading.age())
                    .ifPresent(age -> callback.call(seconds(age))))
        .register(registry);
  }

  private static List<String> queue(ReadyTasks ready) {
    return List.of(ready.workspace().name(), ready.queue());
  }

  /** Exports counts, those of the smallest together. */
  private <T> void counts(
      PrometheusRegistry registry,
      String name,
      String help,
      List<String> labels,
      Function<Backlog, List<T>> counted,
      ToIntFunction<T> number,
      Function<T, List<String>> values) {
    gauge(
        registry,
        name,
        help,
        labels,
        backlog ->
            new TopSamples(Double::sum)
                .of(byNumber(counted.apply(backlog), number), number::applyAsInt, values));
  }

  /** Sorts by size: the largest get a sample of their own. */
  private static <T> List<T> byNumber(List<T> counts, ToIntFunction<T> number) {
    return counts.stream().sorted(Comparator.comparingInt(number).reversed()).toList();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private void gauge(
      PrometheusRegistry registry,
      String name,
      String help,
      List<String> labels,
      Function<Backlog, Stream<TopSamples.Sample>> samples) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames(labels.toArray(String[]::new))
        .callback(
            callback ->
                reading.latest().stream()
                    .flatMap(samples)
                    .forEach(
                        sample ->
                            callback.call(sample.value(), sample.labels().toArray(String[]::new))))
        .register(registry);
  }
}
