package dev.hapax.bootstrap.server;

import com.google.inject.Injector;
import dev.hapax.application.entity.Entities;
import dev.hapax.application.intent.Intents;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.limit.Limits;
import dev.hapax.application.operation.Operations;
import dev.hapax.application.run.RunServices;
import dev.hapax.domain.monitoring.Loop;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

/** The background work of the services of one cell. */
record CellWork(Injector injector) {
  /** Starts it. */
  List<Loop> start(ScheduledExecutorService timer) {
    var runs = injector.getInstance(RunServices.class);
    var intents = injector.getInstance(Intents.class);
    var janitors = injector.getInstance(Janitors.class);
    runs.start();
    intents.start();
    janitors.start();
    var limits = injector.getInstance(Limits.class);
    limits.searchLinesBy(timer);
    return Stream.concat(
            runs.loops().stream(), Stream.of(intents.loop(), janitors.loop(), limits.loop()))
        .toList();
  }

  /** Answers the calls that wait. */
  void stopWaiting() {
    injector.getInstance(Operations.class).stopWaiting();
    var runs = injector.getInstance(RunServices.class);
    runs.runs().stopWaiting();
    runs.tasks().stopWaiting();
    injector.getInstance(Intents.class).stopWaiting();
    injector.getInstance(Entities.class).stopWaiting();
    injector.getInstance(Janitors.class).stopWaiting();
  }
}
