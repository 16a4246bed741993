package dev.hapax.bootstrap.server;

import com.google.inject.Module;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.grpc.CellModule;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.monitoring.ServerFacts;
import dev.hapax.postgres.PostgresModule;
import dev.hapax.postgres.PostgresStore;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Makes the Guice modules of a cell.
 *
 * @param quota of waiting calls, shared by all cells
 * @param route finds the cell of each call of a stream
 */
record CellModules(WaiterQuota quota, ServerFacts facts, CellRoute route) {
  /** Those of a cell, whose background work ends with its timer. */
  List<Module> of(PostgresStore store, ScheduledExecutorService timer) {
    return List.of(
        new PostgresModule(store),
        new ApplicationModule(timer, quota),
        new CellModule(facts, route));
  }
}
