package dev.hapax.bootstrap.server.metrics;

import dev.hapax.bootstrap.config.ProgramVersion;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.monitoring.WorkTime;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.tls.CertificateStatus;
import dev.hapax.http.WebPages;
import io.grpc.ServerInterceptor;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The Prometheus metrics of a server. */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final CallMetrics calls = new CallMetrics(registry);
  private final WorkMetrics work = new WorkMetrics(registry);
  private final WorkTimeMetrics times = new WorkTimeMetrics(registry);
  private final CellSamples cells;

  /** Returns the interceptor that counts calls. */
  public ServerInterceptor calls() {
    return calls;
  }

  /**
   * Registers the metrics of the process and its version.
   *
   * @param hasCells whether samples of stores have the cell as a label
   */
  public Metrics(boolean hasCells) {
    cells = new CellSamples(hasCells);
    registry.register(cells);
    new JvmMetrics(registry).register();
    Info.builder()
        .name("hapax_build_info")
        .help("1 for the version of this server.")
        .labelNames("version", "commit", "java")
        .register(registry)
        .addLabelValues(
            ProgramVersion.text(), ProgramVersion.commit(), Runtime.version().toString());
  }

  /** Returns the counter of work events. */
  public Consumer<WorkEvent> work() {
    return work;
  }

  /** Returns what measures the times of tasks, steps and runs. */
  public Consumer<WorkTime> times() {
    return times;
  }

  /** Returns the metrics of the store of a cell, from the beginning. */
  public StoreMetrics store(CellName cell) {
    return new StoreMetrics(cells.add(cell.text()));
  }

  /** Removes the metrics of a cell that was closed. */
  public void remove(CellName cell) {
    cells.remove(cell.text());
  }

  /** Registers whether each cell beside the first one is usable, and the moves to others. */
  public void ofCells(
      Supplier<Map<String, Optional<String>>> problems,
      Supplier<CompletableFuture<List<WorkspaceMove>>> moves) {
    var reading =
        new CachedReading<>(moves, Duration.ofMinutes(1), Duration.ofMinutes(5), System::nanoTime);
    GaugeWithCallback.builder()
        .name("hapax_cell_moves")
        .help("1 = a move of this workspace to another cell has begun and not ended.")
        .labelNames("workspace", "step")
        .callback(
            callback ->
                reading.latest().stream()
                    .flatMap(List::stream)
                    .limit(TopLabels.MAX)
                    .forEach(move -> callback.call(1, move.workspace().name(), step(move))))
        .register(registry);
    GaugeWithCallback.builder()
        .name("hapax_cell_usable")
        .help("1 = calls of the workspaces in this cell are answered.")
        .labelNames("cell")
        .callback(
            callback ->
                problems
                    .get()
                    .forEach((cell, problem) -> callback.call(problem.isEmpty() ? 1 : 0, cell)))
        .register(registry);
  }

  /** Whether the server would tell that it can be called. */
  public void ofHealth(BooleanSupplier serving) {
    GaugeWithCallback.builder()
        .name("hapax_serving")
        .help("1 = the health service reports SERVING.")
        .callback(callback -> callback.call(serving.getAsBoolean() ? 1 : 0))
        .register(registry);
  }

  private static String step(WorkspaceMove move) {
    return move.step().name().toLowerCase(Locale.ROOT);
  }

  /** Registers the space that is left for the built-in PostgreSQL. */
  public void ofDisk(Path folder) {
    GaugeWithCallback.builder()
        .name("hapax_disk_free_bytes")
        .help("Free space on the disk of the built-in PostgreSQL.")
        .callback(
            callback -> {
              var free = folder.toFile().getUsableSpace();
              if (free > 0 || folder.toFile().exists()) {
                callback.call((double) free);
              }
            })
        .register(registry);
  }

  /** Registers the connections of callers and returns the observer of what limits refuse. */
  public LimitObserver ofCallers(IntSupplier connections, LongSupplier unreadBytes) {
    return new LimitMetrics(registry, connections, unreadBytes);
  }

  /** Registers the expiry and the reloads of certificates. */
  public void ofCertificates(Supplier<List<CertificateStatus>> statuses) {
    CertificateMetrics.register(registry, statuses);
  }

  /** Registers when the keys of each token issuer were last read. */
  public void ofTokenIssuers(Supplier<Map<String, Instant>> keysRead) {
    GaugeWithCallback.builder()
        .name("hapax_token_keys_read_timestamp_seconds")
        .help(
            "When the keys of this token issuer were last read, in seconds since 1970; 0 = never.")
        .labelNames("issuer")
        .callback(
            callback ->
                keysRead
                    .get()
                    .forEach((issuer, at) -> callback.call((double) at.getEpochSecond(), issuer)))
        .register(registry);
  }

  /** Registers when the API keys were last read. */
  public void ofApiKeys(Supplier<Instant> readAt) {
    GaugeWithCallback.builder()
        .name("hapax_api_keys_read_timestamp_seconds")
        .help("When changes of API keys were last read, in seconds since 1970; 0 = never.")
        .callback(callback -> callback.call((double) readAt.get().getEpochSecond()))
        .register(registry);
  }

  /** Returns the metrics and the readiness as pages. */
  public WebPages pages(Readiness readiness) {
    return new MetricsEndpoint(registry, readiness);
  }
}
