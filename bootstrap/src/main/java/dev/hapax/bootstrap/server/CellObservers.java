package dev.hapax.bootstrap.server;

import com.google.inject.Injector;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.run.RunServices;
import dev.hapax.bootstrap.server.metrics.Metrics;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.Loop;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.monitoring.WorkEvents;
import dev.hapax.domain.monitoring.WorkTimes;
import dev.hapax.grpc.security.IntentAudit;
import dev.hapax.postgres.PostgresStore;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Logs, audits, counts and shows the work of all cells. */
final class CellObservers implements Consumer<OpenCell> {
  private final Consumer<WorkEvent> work;
  private final PageState pages;
  private final Optional<Metrics> metrics;

  CellObservers(IntentAudit audit, PageState pages, Optional<Metrics> metrics) {
    var log = new WorkLog(System::nanoTime).andThen(audit);
    this.work = metrics.map(each -> log.andThen(each.work())).orElse(log);
    this.pages = pages;
    this.metrics = metrics;
  }

  /** Observes what this server commits in the first cell. */
  void observe(Injector cell) {
    var ledger = cell.getInstance(Ledger.class);
    ledger.onChanges(new WorkEvents(work)::committed);
    metrics.ifPresent(each -> ledger.onChanges(new WorkTimes(each.times())::committed));
    pages.follow(ledger, cell.getInstance(RunServices.class).tasks());
  }

  /** Registers the metrics of a cell, if the server has any. */
  void measure(CellName name, Injector cell, PostgresStore store, Supplier<List<Loop>> loops) {
    if (metrics.isEmpty()) {
      return;
    }
    var ofStore = metrics.get().store(name);
    store.observe(ofStore.ledger(), ofStore.notifications());
    ofStore.ofRegistration(store::registrationAge);
    ofStore.ofLoops(loops);
    ofStore.ofDatabase(store.clock(), store::timeline);
    ofStore.ofLoad(store::load);
    ofStore.ofDatabaseSize(store.databaseReads()::bytes);
    ofStore.ofBacklog(cell.getInstance(BacklogReads.class)::backlog);
    ofStore.ofPolls(cell.getInstance(RunServices.class).tasks()::waiting);
    ofStore.ofJanitors(cell.getInstance(Janitors.class)::watched);
  }

  /** Observes a cell beside the first one until it is closed. */
  @Override
  public void accept(OpenCell cell) {
    observe(cell.injector());
    measure(cell.name(), cell.injector(), cell.store(), cell::loops);
    metrics.ifPresent(each -> cell.keep("metrics", () -> each.remove(cell.name())));
  }
}
