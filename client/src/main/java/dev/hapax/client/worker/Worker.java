package dev.hapax.client.worker;

import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.Poller;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.ShutdownPolicy;
import dev.hapax.client.internal.TaskSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the steps of runs. It receives tasks on a stream or by polling, runs a handler for each
 * on a thread of its own, renews the leases meanwhile, and records the results. Threads are virtual
 * where the JVM has them, else daemons of a pool: another thread must keep the JVM alive, for
 * instance with {@link #awaitStopped}.
 *
 * <pre>{@code
 * Worker worker =
 *     hapax.newWorker()
 *         .handle("payments", "order", "charge",
 *             task -> Completion.of(PayloadCodec.json(), charge(task.stepId(), task.input(PayloadCodec.json()))))
 *         .start();
 * ...
 * worker.close();
 * }</pre>
 *
 * <p>Two handlers of one step never run at once in one worker, even if it lost a task and received
 * it again. A step may run again after its effect, here or elsewhere, if the worker dies, or loses
 * the task before its end is recorded.
 *
 * <p>While Hapax is unreachable the worker retries, with growing pauses of 100 ms to 2 s; it needs
 * no restart.
 */
public final class Worker implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);

  private final Duration closeTimeout;
  private final InFlightTasks inFlight;
  private final TaskSource source;
  private final ShutdownPolicy stopping;
  private final CompletableFuture<@Nullable Void> checked;

  private Worker(WorkerBuilder settings) {
    this.closeTimeout = settings.closeTimeout();
    WorkStream stream = settings.connection().options().streams() ? new WorkStream(settings) : null;
    RetryingCalls transport = settings.connection().calls(stream == null ? CallRoute.NONE : stream);
    this.inFlight = new InFlightTasks(settings, transport);
    TaskSource poller =
        new Poller<>(transport, settings.timing(), new TaskPolls(settings, inFlight));
    this.source = stream == null ? poller : stream.serving(inFlight, poller);
    this.checked = new ServerParts(transport, settings.timing()).check();
    this.stopping = new ShutdownPolicy(settings.timing(), this::drain, this::abandon);
  }

  private CompletableFuture<?> drain() {
    checked.cancel(false);
    inFlight.stopTakingNext();
    return source.stop().thenCompose(any -> inFlight.close()).thenRun(source::close);
  }

  private void abandon() {
    checked.cancel(false);
    inFlight.abandon();
    source.close();
  }

  static Worker start(WorkerBuilder settings) {
    Worker worker = new Worker(settings);
    worker.inFlight.onFree(worker.source::next);
    var unused = worker.checked.whenComplete(worker::checked);
    worker.awaitCheck(settings.tryTimeout());
    return worker;
  }

  private void checked(@Nullable Void any, @Nullable Throwable refused) {
    if (refused == null) {
      source.next();
    } else if (!checked.isCancelled()) {
      log.error("the worker does not start: {}", refused.getMessage());
      var unused = stop(Duration.ZERO);
    }
  }

  /** An unreachable server must not block the program. */
  private void awaitCheck(Duration atMost) {
    try {
      checked.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException unreachable) {
      log.info("the worker starts when Hapax answers");
    } catch (ExecutionException refused) {
      throwIfRefused();
    }
  }

  private void throwIfRefused() {
    if (checked.isCompletedExceptionally() && !checked.isCancelled()) {
      try {
        checked.join();
      } catch (CompletionException refused) {
        throw new IllegalStateException(
            String.valueOf(refused.getCause() == null ? refused : refused.getCause().getMessage()),
            refused);
      }
    }
  }

  /**
   * Requests no more tasks, and lets running handlers end with their leases renewed. After {@code
   * atMost} it abandons them: running handlers see their task as lost, and their results are
   * dropped; the leases expire, and other workers get the steps. May be called again, for instance
   * to abandon earlier. Does not block.
   *
   * @return true when every handler has ended and is recorded; false when they were abandoned
   */
  public CompletableFuture<Boolean> stop(Duration atMost) {
    return stopping.stop(atMost);
  }

  /**
   * Waits until the worker is stopped.
   *
   * @throws IllegalStateException if the worker did not start, as {@link WorkerBuilder#start} does
   */
  public void awaitStopped() throws InterruptedException {
    stopping.await();
    throwIfRefused();
  }

  /**
   * As {@link #stop} with {@link WorkerBuilder#closeTimeout}, and waits for it. An interrupt
   * abandons running handlers at once.
   */
  @Override
  public void close() {
    stopping.close(closeTimeout);
  }
}
