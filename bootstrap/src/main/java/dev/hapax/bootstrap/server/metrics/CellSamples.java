package dev.hapax.bootstrap.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The metrics of all cells in one exposition: samples of one name with the cell as a label. A
 * server without other cells has no such label, so that its metrics stay as they are.
 */
final class CellSamples implements MultiCollector {
  private static final String LABEL = "cell";

  private final boolean isLabelled;
  private final Map<String, PrometheusRegistry> cells = new ConcurrentSkipListMap<>();

  /**
   * Begins without a cell.
   *
   * @param isLabelled whether there can be several cells
   */
  CellSamples(boolean isLabelled) {
    this.isLabelled = isLabelled;
  }

  /** Adds a cell; its metrics are registered in the returned registry. */
  PrometheusRegistry add(String cell) {
    var registry = new PrometheusRegistry();
    cells.put(cell, registry);
    return registry;
  }

  void remove(String cell) {
    cells.remove(cell);
  }

  @Override
  public MetricSnapshots collect() {
    var byName = new TreeMap<String, List<MetricSnapshot>>();
    cells.forEach(
        (cell, registry) ->
            registry.scrape().stream()
                .map(metric -> isLabelled ? labelled(metric, cell) : metric)
                .forEach(
                    metric ->
                        byName
                            .computeIfAbsent(metric.getMetadata().getName(), _ -> new ArrayList<>())
                            .add(metric)));
    return new MetricSnapshots(byName.values().stream().map(CellSamples::merged).toList());
  }

  private static MetricSnapshot labelled(MetricSnapshot metric, String cell) {
    var metadata = metric.getMetadata();
    return switch (metric) {
      case GaugeSnapshot gauge ->
          new GaugeSnapshot(
              metadata,
              gauge.getDataPoints().stream()
                  .map(
                      point ->
                          new GaugeDataPointSnapshot(
                              point.getValue(), labels(point, cell), point.getExemplar()))
                  .toList());
      case CounterSnapshot counter ->
          new CounterSnapshot(
              metadata,
              counter.getDataPoints().stream()
                  .map(
                      point ->
                          new CounterDataPointSnapshot(
                              point.getValue(),
                              labels(point, cell),
                              point.getExemplar(),
                              point.getCreatedTimestampMillis()))
                  .toList());
      case HistogramSnapshot histogram ->
          new HistogramSnapshot(
              metadata,
              histogram.getDataPoints().stream()
                  .map(
                      point ->
                          new HistogramDataPointSnapshot(
                              point.getClassicBuckets(),
                              point.getSum(),
                              labels(point, cell),
                              point.getExemplars(),
                              point.getCreatedTimestampMillis()))
                  .toList());
      default -> throw new IllegalStateException("no metric of a store: " + metadata.getName());
    };
  }

  private static Labels labels(DataPointSnapshot point, String cell) {
    return point.getLabels().add(LABEL, cell);
  }

  private static MetricSnapshot merged(List<MetricSnapshot> ofCells) {
    var metadata = ofCells.getFirst().getMetadata();
    return switch (ofCells.getFirst()) {
      case GaugeSnapshot _ -> new GaugeSnapshot(metadata, points(ofCells));
      case CounterSnapshot _ -> new CounterSnapshot(metadata, points(ofCells));
      case HistogramSnapshot _ -> new HistogramSnapshot(metadata, points(ofCells));
      default -> throw new IllegalStateException("no metric of a store: " + metadata.getName());
    };
  }

  @SuppressWarnings("unchecked") // metrics of one name have one type
  private static <P extends DataPointSnapshot> List<P> points(List<MetricSnapshot> ofCells) {
    return ofCells.stream()
        .flatMap(metric -> metric.getDataPoints().stream())
        .map(point -> (P) point)
        .toList();
  }
}
