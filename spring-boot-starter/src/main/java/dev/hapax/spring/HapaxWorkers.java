package dev.hapax.spring;

import dev.hapax.client.Worker;
import dev.hapax.client.Workflow;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The worker of the {@link Workflow} and {@link StepHandler} beans, which starts and stops with the
 * application. It stops before the web server and the pools, so that running steps still have them.
 * While it runs the application does not end. Without such beans there is no worker.
 */
public final class HapaxWorkers implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(HapaxWorkers.class);

  /** What Spring needs to notice that the worker has stopped. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private final Supplier<Worker.Builder> settings;
  private final List<Workflow<?, ?>> workflows;
  private final List<StepHandler> handlers;
  private final Duration drain;
  private @Nullable Worker worker;

  /**
   * @param settings of the worker, without handlers
   * @param timeout how long Spring waits for this phase
   */
  HapaxWorkers(
      Supplier<Worker.Builder> settings,
      List<Workflow<?, ?>> workflows,
      List<StepHandler> handlers,
      Duration timeout) {
    this.settings = settings;
    this.workflows = List.copyOf(workflows);
    this.handlers = List.copyOf(handlers);
    Duration drain = timeout.minus(MARGIN);
    this.drain = drain.compareTo(Duration.ZERO) > 0 ? drain : timeout.dividedBy(2);
  }

  @Override
  public synchronized void start() {
    if ((workflows.isEmpty() && handlers.isEmpty()) || worker != null) {
      return;
    }
    Worker.Builder builder = settings.get();
    workflows.forEach(builder::add);
    handlers.forEach(handler -> handler.addTo(builder));
    Worker started = builder.start();
    worker = started;
    // the threads of a worker are daemons, and an application may have no web server
    Thread alive = new Thread(() -> await(started), "hapax-worker");
    alive.setDaemon(false);
    alive.start();
    log.info(
        "the Hapax worker has started with {} workflows and {} step handlers",
        workflows.size(),
        handlers.size());
  }

  private static void await(Worker running) {
    try {
      running.awaitStopped();
    } catch (InterruptedException | RuntimeException ended) {
      log.debug("the application is no longer kept alive by its worker", ended);
    }
  }

  @Override
  public void stop(Runnable callback) {
    // Spring stops the other beans of the phase meanwhile
    new Thread(
            () -> {
              try {
                stop();
              } finally {
                callback.run();
              }
            },
            "hapax-worker-stop")
        .start();
  }

  @Override
  public void stop() {
    Worker running = stopping();
    if (running != null && !running.drain(drain)) {
      log.warn("tasks ran for longer than {} and were abandoned; other workers get them", drain);
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
