package dev.hapax.bootstrap.server;

import dev.hapax.application.cell.CellMap;
import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.config.CellsConfig;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.server.metrics.Readiness.Check;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.grpc.cell.CellServices;
import dev.hapax.grpc.cell.Cells;
import dev.hapax.postgres.ledger.PostgresLedger;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cells of a server: the first one, and those of the configuration, which may change. */
final class ServedCells implements Cells, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServedCells.class);

  /** A start waits so long for the other cells, and continues without those that do not answer. */
  private static final Duration FIRST_TRY = Duration.ofSeconds(5);

  /** As certificates. */
  private static final Duration RELOAD = Duration.ofSeconds(10);

  private final CellsConfig config;
  private final CellMap map;
  private final Map<String, CellSlot> slots = new ConcurrentSkipListMap<>();
  private final Loop loop = new Loop("cells-file", RELOAD, System::nanoTime);
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("cells").factory());
  private Optional<CellServices> first = Optional.empty();

  /** Confined to the thread, once it has started. */
  private String problem = "";

  private ServedCells(CellsConfig config, CellMap map) {
    this.config = config;
    this.map = map;
  }

  /**
   * Reads the map; empty = there is only the first cell, and no call has to be routed.
   *
   * @throws IOException if the directory does not answer
   */
  static Optional<ServedCells> read(CellsConfig config, CellMap map) throws IOException {
    try {
      map.load().join();
    } catch (CompletionException e) {
      throw new IOException("cannot read the cells of workspaces", e.getCause());
    }
    return config.isEmpty() && map.isEmpty()
        ? Optional.empty()
        : Optional.of(new ServedCells(config, map));
  }

  CellMap map() {
    return map;
  }

  /**
   * Opens the cells, and follows the map and the file from then on.
   *
   * @param own the services of the first cell
   */
  void start(CellServices own, CellSlot.Opening opening) throws ConfigurationException {
    first = Optional.of(own);
    change(config.current(), opening);
    try {
      for (var slot : slots.values()) {
        slot.awaitTry(FIRST_TRY);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    map.refreshEvery(() -> usableBesideFirst().map(OpenCell::name).toList());
    if (config.file().isPresent()) {
      var _ =
          thread.scheduleWithFixedDelay(
              loop.round(() -> reload(opening)),
              RELOAD.toMillis(),
              RELOAD.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  /** Keeps the cells if the file has become invalid; logs each reason once. */
  private void reload(CellSlot.Opening opening) {
    try {
      change(config.current(), opening);
      problem = "";
    } catch (ConfigurationException e) {
      if (!problem.equals(e.getMessage())) {
        problem = String.valueOf(e.getMessage());
        LOG.error("the cells stay as they are: {}", problem);
      }
    }
  }

  /** Opens cells that are new or have another address, and closes those that are gone. */
  private void change(List<CellTarget> targets, CellSlot.Opening opening) {
    var wanted =
        targets.stream().collect(Collectors.toMap(each -> each.name().text(), Function.identity()));
    for (var slot : List.copyOf(slots.values())) {
      var name = slot.target().name().text();
      if (!slot.target().equals(wanted.get(name))) {
        LOG.info("cell {} is closed: the configuration changed", name);
        // first, so that no further call gets there
        slots.remove(name);
        slot.cell().ifPresent(OpenCell::stopWaiting);
        slot.close();
      }
    }
    wanted.forEach(
        (name, target) -> slots.computeIfAbsent(name, _ -> new CellSlot(target, opening)));
  }

  /** Whether a workspace is in the first cell. */
  boolean isInFirst(String workspace) {
    return map.of(workspace).equals(CellName.DEFAULT);
  }

  @Override
  public CellServices first() {
    return first.orElseThrow();
  }

  @Override
  public CellServices of(String workspace) {
    var name = map.of(workspace);
    if (name.equals(CellName.DEFAULT)) {
      return first();
    }
    var slot = Optional.ofNullable(slots.get(name.text()));
    return slot.flatMap(CellSlot::cell)
        .map(OpenCell::services)
        .orElseThrow(
            () ->
                new LedgerException.Unavailable(
                    "cell %s, which has workspace %s, %s"
                        .formatted(
                            name,
                            workspace,
                            slot.isPresent()
                                ? "is not usable"
                                : "is not configured on this server (--cell)"),
                    PostgresLedger.RETRY_AFTER));
  }

  @Override
  public String name(String workspace) {
    return map.of(workspace).text();
  }

  @Override
  public CompletableFuture<List<WorkspaceMove>> moves() {
    return map.moves();
  }

  @Override
  public Map<String, CellServices> usable() {
    var services = new TreeMap<String, CellServices>();
    services.put(CellName.DEFAULT.text(), first());
    usableBesideFirst().forEach(cell -> services.put(cell.name().text(), cell.services()));
    return services;
  }

  /** The state of each cell beside the first one. None of them makes the server unready. */
  List<Check> checks() {
    return slots.values().stream()
        .map(slot -> Check.optional("cell " + slot.target().name(), slot.problem().orElse("")))
        .toList();
  }

  /** Why each cell beside the first one is not usable; empty = it is. */
  Map<String, Optional<String>> problems() {
    var problems = new TreeMap<String, Optional<String>>();
    slots.forEach((name, slot) -> problems.put(name, slot.problem()));
    return problems;
  }

  @Override
  public void onMove(Consumer<String> listener) {
    map.onMove(listener);
  }

  private Stream<OpenCell> usableBesideFirst() {
    return open().filter(cell -> cell.problem().isEmpty());
  }

  /** The cells that are open. */
  Stream<OpenCell> open() {
    return slots.values().stream().flatMap(slot -> slot.cell().stream());
  }

  /** The repeated work that {@link #start} begins. */
  List<Loop> loops() {
    return config.file().isPresent() ? List.of(map.loop(), loop) : List.of(map.loop());
  }

  void stopWaiting() {
    open().forEach(OpenCell::stopWaiting);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    slots.values().forEach(CellSlot::close);
  }
}
