package dev.hapax.bootstrap.server;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Stage;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.grpc.cell.CellServices;
import dev.hapax.postgres.PostgresStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;

/** A cell beside the first one, with its store, its services and their background work. */
final class OpenCell implements AutoCloseable {
  private final CellName name;
  private final PostgresStore store;
  private final ScheduledExecutorService timer;
  private final Injector injector;
  private final Resources parts = new Resources();
  private final List<Loop> loops = new CopyOnWriteArrayList<>();
  private final CellWork work;
  private Optional<HealthMonitor> monitor = Optional.empty();

  private OpenCell(CellName name, PostgresStore store, CellModules modules) {
    this.name = name;
    this.store = parts.keep("store of cell " + name, store);
    this.timer = parts.startTimer("timer of cell " + name);
    try {
      injector = Guice.createInjector(Stage.PRODUCTION, modules.of(store, timer));
    } catch (RuntimeException e) {
      parts.close();
      throw e;
    }
    this.work = new CellWork(injector);
  }

  /** Opens the store, and makes its services. */
  static OpenCell open(CellName name, JdbcTarget target, ServerConfig config, CellModules modules)
      throws SQLException {
    var database = PostgresTarget.config(target, config.ledger());
    return new OpenCell(name, PostgresStore.open(database, "cell " + name), modules);
  }

  /**
   * Starts the background work.
   *
   * @param watch makes the monitor of its health
   */
  void start(HealthMonitor watch) {
    loops.addAll(store.loops());
    loops.addAll(work.start(timer));
    monitor = Optional.of(parts.keep("health monitor of cell " + name, watch));
    watch.start();
    loops.addAll(watch.loops());
  }

  /** Closes this part with the cell. */
  void keep(String part, AutoCloseable closeable) {
    var _ = parts.keep(part, closeable);
  }

  CellName name() {
    return name;
  }

  PostgresStore store() {
    return store;
  }

  Injector injector() {
    return injector;
  }

  CellServices services() {
    return injector.getInstance(CellServices.class);
  }

  /** The repeated work of this cell. */
  List<Loop> loops() {
    return loops;
  }

  /** Why its calls may not be answered, if so. */
  Optional<String> problem() {
    return monitor.flatMap(HealthMonitor::problem);
  }

  /** Why the database refuses this server, if so: then it answers no call any more. */
  Optional<String> refusal() {
    return store.refusal();
  }

  /** Runs this when {@link #refusal} has become present, at once if it is. */
  void onRefused(Runnable listener) {
    store.onRefused(listener);
    if (store.refusal().isPresent()) {
      listener.run();
    }
  }

  void stopWaiting() {
    work.stopWaiting();
  }

  /** Answers the commands that were accepted, then closes all connections. */
  @Override
  public void close() {
    parts.close();
  }
}
