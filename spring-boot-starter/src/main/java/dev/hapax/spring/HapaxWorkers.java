package dev.hapax.spring;

import dev.hapax.client.worker.Worker;
import dev.hapax.client.worker.WorkerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The worker of the {@link StepHandler} beans, which starts and stops with the application. It
 * stops before the web server and the pools, so that running steps still have them. While it runs
 * the application does not end. Without such beans there is no worker.
 */
public final class HapaxWorkers implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(HapaxWorkers.class);

  /** What Spring needs to notice that the worker has stopped. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private final Supplier<WorkerBuilder> settings;
  private final List<StepHandler> handlers;
  private final Duration drain;
  private @Nullable Worker worker;

  /**
   * @param settings of the worker, without handlers
   * @param timeout how long Spring waits for this phase
   */
  HapaxWorkers(Supplier<WorkerBuilder> settings, List<StepHandler> handlers, Duration timeout) {
    this.settings = settings;
    this.handlers = List.copyOf(handlers);
    Duration drain = timeout.minus(MARGIN);
    this.drain = drain.compareTo(Duration.ZERO) > 0 ? drain : timeout.dividedBy(2);
  }

  @Override
  public synchronized void start() {
    if (handlers.isEmpty() || worker != null) {
      return;
    }
    WorkerBuilder builder = settings.get();
    handlers.forEach(handler -> handler.addTo(builder));
    Worker started = builder.start();
    worker = started;
    // the threads of a worker are daemons, and an application may have no web server
    Thread alive = new Thread(() -> await(started), "hapax-worker");
    alive.setDaemon(false);
    alive.start();
    log.info("the Hapax worker has started with {} step handlers", handlers.size());
  }

  private static void await(Worker running) {
    try {
      running.awaitStopped();
    } catch (InterruptedException interrupted) {
      log.debug("the application is no longer kept alive by its worker", interrupted);
    }
  }

  @Override
  public void stop(Runnable callback) {
    Worker running = stopping();
    if (running == null) {
      callback.run();
      return;
    }
    var unused =
        running
            .stop(drain)
            .whenComplete(
                (drained, error) -> {
                  if (!Boolean.TRUE.equals(drained)) {
                    log.warn(
                        "tasks ran for longer than {} and were abandoned; other workers get them",
                        drain);
                  }
                  callback.run();
                });
  }

  @Override
  public void stop() {
    Worker running = stopping();
    if (running != null) {
      var unused = running.stop(drain).join();
    }
  }

  private synchronized @Nullable Worker stopping() {
    Worker running = worker;
    worker = null;
    return running;
  }

  @Override
  public synchronized boolean isRunning() {
    return worker != null;
  }

  @Override
  public int getPhase() {
    return DEFAULT_PHASE - 512;
  }
}
