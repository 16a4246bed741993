package dev.hapax.client.worker;

import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.Poller;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.ShutdownPolicy;
import dev.hapax.client.internal.TaskSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Does the steps of runs. It is sent tasks on a stream, or polls for them, runs a handler for each
 * task on a thread of its own, keeps the leases alive meanwhile, and records how each ended. A
 * virtual thread where the JVM has them, a daemon of a pool elsewhere: another thread has to keep
 * the JVM alive, for instance with {@link #awaitStopped}.
 *
 * <pre>{@code
 * Worker worker =
 *     hapax.newWorker()
 *         .handle("payments", "order", "charge",
 *             task -> Completion.of(Codec.json(), charge(task.stepId(), task.input(Codec.json()))))
 *         .start();
 * ...
 * worker.close();
 * }</pre>
 *
 * <p>Two handlers of one step never run at once in one worker, also if it lost a task and was given
 * it again. A step may run again after its effect, here or elsewhere, if the worker dies, or loses
 * the task before its end is recorded.
 *
 * <p>While Hapax cannot be reached the worker goes on asking, with growing pauses of 100 ms to 2 s;
 * nothing has to be restarted.
 */
public final class Worker implements AutoCloseable {

  private final Duration closeTimeout;
  private final InFlightTasks inFlight;
  private final TaskSource source;
  private final ShutdownPolicy stopping;

  private Worker(WorkerBuilder settings) {
    this.closeTimeout = settings.closeTimeout();
    WorkStream stream = settings.options().streams() ? new WorkStream(settings) : null;
    RetryingCalls transport = settings.connection().calls(stream == null ? CallRoute.NONE : stream);
    this.inFlight = new InFlightTasks(settings, transport);
    TaskSource poller = new Poller<>(transport, settings.timing(), new TaskPolls(settings, inFlight));
    this.source = stream == null ? poller : stream.serving(inFlight, poller);
    this.stopping = new ShutdownPolicy(settings.timing(), this::drain, this::abandon);
  }

  private CompletableFuture<?> drain() {
    inFlight.stopTakingNext();
    return source.stop().thenCompose(any -> inFlight.close()).thenRun(source::close);
  }

  private void abandon() {
    inFlight.abandon();
    source.close();
  }

  static Worker start(WorkerBuilder settings) {
    Worker worker = new Worker(settings);
    worker.inFlight.onFree(worker.source::next);
    worker.source.next();
    return worker;
  }

  /**
   * Asks for no more tasks, but lets the handlers end and keeps their leases alive meanwhile. After
   * {@code atMost} it gives up: handlers that still run are told that their task is lost and what
   * they do is dropped; the leases end by themselves, and other workers go on. May be called again,
   * for instance to give up earlier.
   *
   * @return true when every handler has ended and Hapax was told of it; false when it gave up. Does
   *     not block
   */
  public CompletableFuture<Boolean> stop(Duration atMost) {
    return stopping.stop(atMost);
  }

  /** Waits until the worker is stopped. */
  public void awaitStopped() throws InterruptedException {
    stopping.await();
  }

  /**
   * As {@link #stop} with {@link WorkerBuilder#closeTimeout}, and waits for it. An interrupt makes
   * it give up at once.
   */
  @Override
  public void close() {
    stopping.close(closeTimeout);
  }
}
