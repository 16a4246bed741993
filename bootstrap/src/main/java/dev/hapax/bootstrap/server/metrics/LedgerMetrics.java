package dev.hapax.bootstrap.server.metrics;

import dev.hapax.domain.ledger.Command;
import dev.hapax.postgres.StoreLoad;
import dev.hapax.postgres.ledger.LedgerObserver;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The metrics of commits, commands and connections. */
final class LedgerMetrics implements LedgerObserver {
  private static final double[] SECONDS = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  };
  private static final double[] SIZES = {1, 2, 4, 8, 16, 32, 64, 128, 256};

  private final PrometheusRegistry registry;
  private final Counter commits;
  private final Counter records;
  private final Histogram batchCommands;
  private final Histogram commitSeconds;
  private final Histogram commandSeconds;
  private final Histogram notificationSeconds;

  LedgerMetrics(PrometheusRegistry registry) {
    this.registry = registry;
    commits =
        Counter.builder()
            .name("hapax_commits_total")
            .help("Transactions of this server that changed records.")
            .register(registry);
    records =
        Counter.builder()
            .name("hapax_records_total")
            .help("Records changed by this server.")
            .register(registry);
    batchCommands = histogram("hapax_batch_commands", "Commands in a transaction.", SIZES);
    commitSeconds =
        histogram(
            "hapax_commit_seconds",
            "Duration of committed transactions, including the wait for locks.",
            SECONDS);
    commandSeconds =
        Histogram.builder()
            .name("hapax_command_seconds")
            .help("Duration of commands from the queue to the answer, without waits of calls.")
            .labelNames("command")
            .classicOnly()
            .classicUpperBounds(SECONDS)
            .register(registry);
    notificationSeconds =
        histogram(
            "hapax_notification_seconds",
            "Delay of commit notifications through the database.",
            SECONDS);
  }

  private Histogram histogram(String name, String help, double[] bounds) {
    return Histogram.builder()
        .name(name)
        .help(help)
        .classicOnly()
        .classicUpperBounds(bounds)
        .register(registry);
  }

  @Override
  public void committed(int commands, int changed, long nanos) {
    batchCommands.observe(commands);
    commitSeconds.observe(seconds(nanos));
    if (changed > 0) {
      commits.inc();
      records.inc(changed);
    }
  }

  @Override
  public void answered(Command<?> command, long nanos) {
    commandSeconds.labelValues(command.commandName()).observe(seconds(nanos));
  }

  /** Records the delay of a notification of this server. */
  void notified(long nanos) {
    notificationSeconds.observe(seconds(nanos));
  }

  private static double seconds(long nanos) {
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /** Registers the queues, read at each scrape. */
  void registerLoad(Supplier<StoreLoad> load) {
    gauge(
        "hapax_commands_queued",
        "Commands that wait for a transaction or for locked records.",
        () -> load.get().commandsQueued());
    gauge(
        "hapax_reads_queued", "Reads that wait for a connection.", () -> load.get().readsQueued());
    gauge(
        "hapax_result_partitions_ahead",
        "Number of future days with a partition of results; an alert if it stays 0.",
        () -> load.get().partitionDaysAhead());
    pools("hapax_pool_active", "Connections to the database in use.", load, StoreLoad.Pool::active);
    pools("hapax_pool_max", "Connections to the database at most.", load, StoreLoad.Pool::max);
    pools(
        "hapax_pool_waiting",
        "Threads that wait for a connection to the database.",
        load,
        StoreLoad.Pool::waiting);
  }

  private void gauge(String name, String help, Supplier<Integer> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call(value.get()))
        .register(registry);
  }

  private void pools(
      String name, String help, Supplier<StoreLoad> load, ToDoubleFunction<StoreLoad.Pool> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("pool")
        .callback(
            callback ->
                load.get()
                    .pools()
                    .forEach(pool -> callback.call(value.applyAsDouble(pool), pool.name())))
        .register(registry);
  }
}
