package dev.hapax.application.cell;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.application.waiting.SingleFlight;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.Placements;
import dev.hapax.domain.cell.Placements.Placement;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.monitoring.Loop;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The cells of all placed workspaces: a copy in memory, so that a call needs no query. While the
 * directory is unreachable, the last copy stays.
 */
public final class CellMap {
  /** A change takes effect on each server after this time, or when a batch is refused. */
  public static final Duration REFRESH = Duration.ofSeconds(1);

  /** Many batches may be refused at once. */
  private static final Duration REST = Duration.ofMillis(50);

  private final Placements directory;
  private final ScheduledExecutorService timer;
  private final SingleFlight refreshes;
  private final Loop loop = new Loop("cell-map", REFRESH, System::nanoTime);
  private final Map<String, CellName> cells = new ConcurrentHashMap<>();
  private volatile long epoch;
  private volatile Consumer<String> onMove = _ -> {};
  private volatile Supplier<List<CellName>> usable = List::of;

  public CellMap(Placements directory, ScheduledExecutorService timer) {
    this.directory = directory;
    this.timer = timer;
    this.refreshes =
        new SingleFlight(
            () -> load().thenCompose(_ -> directory.report(epoch, usable.get())),
            REST,
            new FailureLog(CellMap.class, "refresh of the cell map"),
            timer,
            loop::ended);
  }

  /** Reads the placements that changed. */
  public CompletableFuture<Void> load() {
    return directory.changedAfter(epoch).thenAccept(this::update);
  }

  private void update(List<Placement> changed) {
    for (var placement : changed) {
      var workspace = placement.workspace().name();
      var before = of(workspace);
      cells.put(workspace, placement.cell());
      epoch = placement.epoch();
      if (!before.equals(placement.cell())) {
        onMove.accept(workspace);
      }
    }
  }

  /** Receives each workspace whose cell has changed, once the map has the new one. */
  public void onMove(Consumer<String> listener) {
    onMove = listener;
  }

  /**
   * Refreshes the map until the timer stops.
   *
   * @param usableNow the cells beside the first one that this server can use
   */
  public void refreshEvery(Supplier<List<CellName>> usableNow) {
    usable = usableNow;
    var _ =
        timer.scheduleWithFixedDelay(
            refreshes::request, 0, REFRESH.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Refreshes the map now, after a batch was refused. */
  public void refresh() {
    refreshes.request();
  }

  /** The moves of workspaces that have begun and not ended. */
  public CompletableFuture<List<WorkspaceMove>> moves() {
    return directory.moves();
  }

  /** Whether no workspace was ever placed. */
  public boolean isEmpty() {
    return cells.isEmpty();
  }

  /** The cell of a workspace. */
  public CellName of(String workspace) {
    return cells.getOrDefault(workspace, CellName.DEFAULT);
  }

  /** The repeated work that {@link #refreshEvery} begins. */
  public Loop loop() {
    return loop;
  }
}
