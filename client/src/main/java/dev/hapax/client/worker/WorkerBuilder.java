package dev.hapax.client.worker;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.Observer;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.Timing;
import io.grpc.Channel;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings and the handlers of a {@link Worker}. */
public final class WorkerBuilder {

  private final ClientConnection connection;
  private final Handlers handlers = new Handlers();
  private String workerId = "worker-" + ProcessHandle.current().pid() + "-" + UUID.randomUUID();
  private int concurrency = 64;
  private Duration pollWait = Duration.ofSeconds(20);
  private Duration holdAtMost = Duration.ofHours(24);
  private Duration closeTimeout = Duration.ofSeconds(30);
  private boolean interruptWhenLost = true;
  private FailureClassifier classifier = FailureClassifier.retryable();
  private @Nullable Executor executor;
  private @Nullable UnaryOperator<TaskHandler> spans;
  private final CodeChanges codeChanges = new CodeChanges();
  private @Nullable Clock clock;

  /** Internal; see {@link HapaxClient#newWorker}. */
  public WorkerBuilder(ClientConnection connection) {
    this.connection = connection;
  }

  /**
   * Adds the handler of a step, in every version of the definition.
   *
   * @param queue the queue of the step in the definition; the worker polls it
   */
  public WorkerBuilder handle(String queue, String definition, String step, TaskHandler handler) {
    handlers.add(queue, definition, step, Objects.requireNonNull(handler, "handler"));
    return this;
  }

  /**
   * Adds the handler of all steps of this queue without their own. A step without any handler is
   * released: workers get it again after 5 s, at no cost of an attempt.
   */
  public WorkerBuilder handleQueue(String queue, TaskHandler handler) {
    handlers.add(queue, Objects.requireNonNull(handler, "handler"));
    return this;
  }

  /**
   * Adds the workflow of a code step, in every version of the definition.
   *
   * @param codec of the workflow's result
   */
  public <T extends @Nullable Object> WorkerBuilder workflow(
      String queue,
      String definition,
      String step,
      PayloadCodec<T> codec,
      Workflow<? extends T> workflow) {
    Objects.requireNonNull(workflow, "workflow");
    return handle(
        queue,
        definition,
        step,
        task -> new WorkflowExecution<T>(task, clock, codeChanges).run(codec, workflow));
  }

  /**
   * Sets the name of the worker in histories and for operators. At most 255 characters. Default:
   * from the process id and a random part.
   */
  public WorkerBuilder workerId(String workerId) {
    this.workerId = KeyText.check("workerId", workerId);
    return this;
  }

  /** Sets the largest number of concurrent tasks. 1 to 10,000, default 64. */
  public WorkerBuilder concurrency(int concurrency) {
    this.concurrency = Limits.within("concurrency", concurrency, 1, 10_000);
    return this;
  }

  /** Sets how long one poll waits for a task. 1 ms to 30 s, default 20 s. */
  public WorkerBuilder pollWait(Duration pollWait) {
    this.pollWait =
        Limits.within("pollWait", pollWait, Duration.ofMillis(1), Duration.ofSeconds(30));
    return this;
  }

  /**
   * Sets the end of heartbeats of a task, so that a handler that never ends does not keep its step.
   * Default 24 h.
   */
  public WorkerBuilder holdAtMost(Duration holdAtMost) {
    this.holdAtMost =
        Limits.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
    return this;
  }

  /** Sets how long {@link Worker#close} waits for running handlers. Default 30 s. */
  public WorkerBuilder closeTimeout(Duration closeTimeout) {
    this.closeTimeout = Limits.positive("closeTimeout", closeTimeout);
    return this;
  }

  /** Whether to interrupt the thread of a handler whose task is lost. Default true. */
  public WorkerBuilder interruptWhenLost(boolean interruptWhenLost) {
    this.interruptWhenLost = interruptWhenLost;
    return this;
  }

  /**
   * Classifies failures that are no {@link WorkFailure}; an unknown effect counts as retryable.
   * Default {@link FailureClassifier#retryable}.
   */
  public WorkerBuilder failures(FailureClassifier classifier) {
    this.classifier = Objects.requireNonNull(classifier, "classifier");
    return this;
  }

  /**
   * Sets the executor of handlers; it stays the caller's. Default: a virtual thread each, from Java
   * 21 on; else a pool of {@link #concurrency} daemon threads.
   */
  public WorkerBuilder executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Runs each handler inside this wrapper instead of a span of OpenTelemetry. It is for an
   * application whose traces have another API; {@link UnaryOperator#identity} is no span at all.
   */
  public WorkerBuilder spans(UnaryOperator<TaskHandler> spans) {
    this.spans = Objects.requireNonNull(spans, "spans");
    return this;
  }

  /**
   * Sets what to do with runs that older code of a workflow has recorded, and that this code does
   * not fit. Default {@link OnCodeChange#RELEASE}.
   */
  public WorkerBuilder onCodeChange(OnCodeChange policy) {
    codeChanges.policy(Objects.requireNonNull(policy, "policy"));
    return this;
  }

  /**
   * Sets the clock that decides the end of a wait whose execution was interrupted. Default: the
   * time of Hapax.
   */
  public WorkerBuilder clock(Clock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
    return this;
  }

  /**
   * Starts the worker. Call it once. It first reads the features of the server, and waits for the
   * answer for {@link dev.hapax.client.ClientOptions#withTryTimeout} at most. From an unreachable
   * server the worker gets tasks as soon as it answers.
   *
   * @throws IllegalStateException if there is no handler, or if the server lacks parts: upgrade it.
   *     If that is only known later, it is logged, the worker stops, and {@link
   *     Worker#awaitStopped} throws it
   */
  public Worker start() {
    if (handlers.queues().isEmpty()) {
      throw new IllegalStateException(
          "the worker has no handler; add one with handle() or workflow()");
    }
    return Worker.start(this);
  }

  ClientConnection connection() {
    return connection;
  }

  Channel channel() {
    return connection.channel();
  }

  Duration tryTimeout() {
    return connection.options().tryTimeout();
  }

  Observer observer() {
    return connection.options().observer();
  }

  Handlers handlers() {
    return handlers;
  }

  Timing timing() {
    return connection.timing();
  }

  String workspace() {
    return connection.options().workspace();
  }

  String workerId() {
    return workerId;
  }

  int concurrency() {
    return concurrency;
  }

  Duration pollWait() {
    return pollWait;
  }

  Duration recordTimeout() {
    return connection.options().recordTimeout();
  }

  Duration holdAtMost() {
    return holdAtMost;
  }

  Duration closeTimeout() {
    return closeTimeout;
  }

  boolean interruptWhenLost() {
    return interruptWhenLost;
  }

  FailureClassifier classifier() {
    return classifier;
  }

  /** Null = the spans of OpenTelemetry. */
  @Nullable UnaryOperator<TaskHandler> ownSpans() {
    return spans;
  }

  Executor executorOrDefault() {
    Executor own = executor;
    return own == null ? HandlerThreads.of(concurrency) : own;
  }
}
