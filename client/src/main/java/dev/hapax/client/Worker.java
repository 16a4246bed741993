package dev.hapax.client;

import dev.hapax.client.Calls.Budget;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.ServerFeature;
import dev.hapax.v1.ServerInfo;
import dev.hapax.v1.WorkRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the steps of runs. It gets tasks on a stream or by polling, runs a handler for each on a
 * thread of its own, renews the leases meanwhile, and records the results. Its threads do not keep
 * the JVM alive: another one must, for instance with {@link #awaitStopped}.
 *
 * <pre>{@code
 * Worker worker =
 *     hapax.worker()
 *         .add(ORDER)
 *         .step("payments", "order", "charge", task -> charge(task.stepId(), task.input(Order.class)))
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
  private static final Duration CLOSE = Duration.ofSeconds(30);

  private final Connection connection;
  private final List<Workflow<?, ?>> workflows;
  private final Tasks tasks;
  private final Polling polling;
  private final CompletableFuture<@Nullable Void> started = new CompletableFuture<>();

  private Worker(Builder settings) {
    Executor executor =
        settings.executor == null ? settings.connection.executor() : settings.executor;
    WorkStream stream = stream(settings);
    this.connection = stream == null ? settings.connection : settings.connection.by(stream);
    this.workflows = List.copyOf(settings.workflows);
    this.tasks = new Tasks(connection, settings, executor);
    this.polling =
        new Polling(
            connection.calls().timing(),
            "PollTasks",
            settings.concurrency,
            executor,
            stream == null ? tasks : stream.to(tasks));
  }

  private static @Nullable WorkStream stream(Builder settings) {
    Connection shared = settings.connection;
    return shared.calls().usesStreams()
        ? new WorkStream(
            shared.calls(),
            WorkRequest.Open.newBuilder()
                .setWorkspace(shared.workspace())
                .addAllQueues(settings.queues())
                .setWorkerId(settings.workerId())
                .build())
        : null;
  }

  private Worker start() {
    polling.start(this::prepare);
    try {
      started.get(connection.calls().tryTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException unreachable) {
      // an unreachable server must not block the program
      log.info("the worker starts when Hapax answers");
    } catch (ExecutionException refused) {
      throwIfRefused();
    }
    return this;
  }

  /** Returns whether the worker may poll. */
  private boolean prepare() {
    try {
      checkServer();
      workflows.forEach(workflow -> workflow.register(connection));
      started.complete(null);
      return true;
    } catch (RuntimeException refused) {
      if (refused.getCause() instanceof InterruptedException) {
        started.complete(null);
      } else {
        log.error("the worker does not start: {}", refused.getMessage());
        started.completeExceptionally(refused);
      }
      return false;
    }
  }

  private void checkServer() {
    ServerInfo server =
        Polling.untilAccepted(
                connection,
                "GetServerInfo",
                () ->
                    connection
                        .calls()
                        .send(
                            GetServerInfoRequest.getDefaultInstance(),
                            GetServerInfoResponse.getDefaultInstance(),
                            Budget.poll(Duration.ZERO))
                        .message())
            .getServer();
    if (!server.getFeaturesList().contains(ServerFeature.SERVER_FEATURE_PARTS)) {
      throw new IllegalStateException(
          "the server lacks parts (version " + server.getVersion() + "): upgrade the server");
    }
  }

  private void throwIfRefused() {
    try {
      started.getNow(null);
    } catch (CompletionException refused) {
      if (refused.getCause() instanceof HapaxException rejected) {
        throw rejected;
      }
      throw new IllegalStateException(
          refused.getCause() == null ? "" : refused.getCause().getMessage(), refused);
    }
  }

  /** Whether Hapax does not answer at present. The worker retries until it does. */
  public boolean isAway() {
    return connection.calls().isAway();
  }

  /**
   * Polls no more, and waits until the handlers have ended and are recorded. Their leases are
   * renewed meanwhile. After {@code atMost}, or if this thread is interrupted, it abandons them:
   * they see their task as lost, and their results are dropped; when the leases have expired, other
   * workers get the steps. May be called again, for instance to abandon earlier.
   *
   * @return true = every handler has ended; false = they were abandoned
   */
  public boolean drain(Duration atMost) {
    tasks.drain();
    boolean isDrained = polling.drain(atMost);
    if (!isDrained) {
      tasks.abandon();
    }
    return isDrained;
  }

  /** As {@link #drain}, for at most 30 s. */
  @Override
  public void close() {
    var unused = drain(CLOSE);
  }

  /**
   * Waits until the worker is stopped by another thread.
   *
   * @throws IllegalStateException if the worker did not start, as {@link Builder#start} does
   */
  public void awaitStopped() throws InterruptedException {
    polling.awaitEnd();
    throwIfRefused();
  }

  /** The settings and the handlers of a worker, from {@link Hapax#worker}. */
  public static final class Builder {
    private final Connection connection;
    private final Map<StepKey, Handler> bySteps = new HashMap<>();
    private final Map<String, Handler> byQueue = new HashMap<>();
    private final Set<String> queues = new TreeSet<>();
    private final List<Workflow<?, ?>> workflows = new ArrayList<>();
    private final ReleaseDelays releases = new ReleaseDelays();
    private String workerId = "worker-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    private int concurrency = 64;
    private Duration holdAtMost = Duration.ofHours(24);
    private boolean interruptWhenLost = true;
    private OnCodeChange onCodeChange = OnCodeChange.RELEASE;
    private @Nullable Executor executor;
    private @Nullable UnaryOperator<Handler> spans;
    private @Nullable Clock clock;

    private record StepKey(String definition, String step) {}

    Builder(Connection connection) {
      this.connection = connection;
    }

    /** Does the runs of a workflow, and registers it before the first poll. */
    public Builder add(Workflow<?, ?> workflow) {
      workflows.add(workflow);
      return step(workflow.queue(), workflow.name(), Workflow.STEP, workflow::handle);
    }

    /**
     * Does a step with this handler, in every version of the definition.
     *
     * @param queue the queue of the step in the definition; the worker polls it
     */
    public Builder step(String queue, String definition, String step, Handler handler) {
      queues.add(KeyText.required("queue", queue));
      Objects.requireNonNull(handler, "handler");
      if (bySteps.putIfAbsent(new StepKey(definition, step), handler) != null) {
        throw new IllegalArgumentException(
            "step " + step + " of definition " + definition + " already has a handler");
      }
      return this;
    }

    /**
     * Does all steps of this queue that have no handler of their own. A step without any handler is
     * released for 5 s, then for twice as long each time, up to 5 min, at no cost of an attempt.
     */
    public Builder queue(String queue, Handler handler) {
      queues.add(KeyText.required("queue", queue));
      if (byQueue.putIfAbsent(queue, Objects.requireNonNull(handler, "handler")) != null) {
        throw new IllegalArgumentException("queue " + queue + " already has a handler");
      }
      return this;
    }

    /**
     * The name of the worker in histories and for operators, at most 255 characters. Default: from
     * the process id and a random part.
     */
    public Builder workerId(String workerId) {
      this.workerId = KeyText.required("workerId", workerId);
      return this;
    }

    /** The largest number of concurrent tasks, 1 to 10,000. Default 64. */
    public Builder concurrency(int concurrency) {
      this.concurrency = Ranges.within("concurrency", concurrency, 1, 10_000);
      return this;
    }

    /**
     * The end of renewals of a task, so that a handler that never ends does not keep its step; at
     * most 365 days. Default 24 h.
     */
    public Builder holdAtMost(Duration holdAtMost) {
      this.holdAtMost =
          Ranges.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
      return this;
    }

    /** Whether to interrupt the thread of a handler whose task is lost. Default true. */
    public Builder interruptWhenLost(boolean interruptWhenLost) {
      this.interruptWhenLost = interruptWhenLost;
      return this;
    }

    /**
     * What to do with runs that older code has recorded, and that this code does not fit. Default
     * {@link OnCodeChange#RELEASE}.
     */
    public Builder onCodeChange(OnCodeChange onCodeChange) {
      this.onCodeChange = Objects.requireNonNull(onCodeChange, "onCodeChange");
      return this;
    }

    /** Runs the handlers; it stays the caller's. Default {@link Hapax.Builder#executor}. */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Runs each handler inside this wrapper instead of a span of OpenTelemetry. It is for an
     * application whose traces have another API; {@link UnaryOperator#identity} is no span at all.
     * The wrapper returns what the handler returned.
     */
    public Builder spans(UnaryOperator<Handler> spans) {
      this.spans = Objects.requireNonNull(spans, "spans");
      return this;
    }

    /**
     * Decides the end of a wait whose execution was interrupted. Default: the time of Hapax. For
     * tests.
     */
    public Builder clock(Clock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /**
     * Starts the worker. Call it once. It first reads the features of the server, and registers the
     * workflows; it waits for that for at most 5 s. From an unreachable server the worker gets
     * tasks as soon as it answers.
     *
     * @throws IllegalStateException if there is no handler, or if the server lacks parts: upgrade
     *     it. If that is only known later, it is logged, and the worker stops
     * @throws HapaxException if Hapax refuses the registration of a workflow
     */
    public Worker start() {
      if (queues.isEmpty()) {
        throw new IllegalStateException(
            "the worker has no handler; add one with add(), step() or queue()");
      }
      return new Worker(this).start();
    }

    /** The handler of the step itself, else that of its queue. */
    Handler handler(dev.hapax.v1.Task task) {
      String step = task.getStep().getName();
      String definition = task.getRun().getDefinition();
      Handler own = bySteps.get(new StepKey(definition, step));
      if (own == null) {
        String queue = task.getStep().getQueue();
        own =
            queue.isEmpty() && queues.size() == 1
                ? byQueue.get(queues.iterator().next())
                : byQueue.get(queue);
      }
      return own == null ? any -> none(task, definition, step) : own;
    }

    /** Another worker of the queue, older or newer, may have a handler. */
    private Result none(dev.hapax.v1.Task task, String definition, String step) {
      Duration delay = releases.next(task.getStep().getId());
      log.warn(
          "no handler for step {} of {} in this worker, released for {} s",
          step,
          definition,
          delay.toSeconds());
      return Result.release(delay);
    }

    Set<String> queues() {
      return queues;
    }

    String workerId() {
      return workerId;
    }

    Duration holdAtMost() {
      return holdAtMost;
    }

    boolean interruptsWhenLost() {
      return interruptWhenLost;
    }

    OnCodeChange onCodeChange() {
      return onCodeChange;
    }

    @Nullable UnaryOperator<Handler> spans() {
      return spans;
    }

    @Nullable Clock clock() {
      return clock;
    }
  }
}
