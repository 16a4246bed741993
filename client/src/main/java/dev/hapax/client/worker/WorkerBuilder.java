package dev.hapax.client.worker;

import dev.hapax.client.WorkFailure;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.Codec;
import dev.hapax.client.FailureClassifier;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.Timing;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link Worker}, and what it does. */
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
  private Clock clock = Clock.systemUTC();

  /** Internal; see {@link HapaxClient#newWorker}. */
  public WorkerBuilder(ClientConnection connection) {
    this.connection = connection;
  }

  /**
   * Who does this step of every version of the definition.
   *
   * @param queue where the definition says that the step is found; polled from now on
   */
  public WorkerBuilder handle(String queue, String definition, String step, TaskHandler handler) {
    handlers.add(queue, definition, step, Objects.requireNonNull(handler, "handler"));
    return this;
  }

  /**
   * Who does the steps of this queue that have no handler of their own. A step without any is
   * released: it is offered to workers again after 5 s, and costs no attempt.
   */
  public WorkerBuilder handleQueue(String queue, TaskHandler handler) {
    handlers.add(queue, Objects.requireNonNull(handler, "handler"));
    return this;
  }

  /**
   * Which code this code step is, in every version of the definition.
   *
   * @param codec of what the workflow answers
   */
  public <T extends @Nullable Object> WorkerBuilder workflow(
      String queue,
      String definition,
      String step,
      Codec<T> codec,
      Workflow<? extends T> workflow) {
    Objects.requireNonNull(workflow, "workflow");
    return handle(
        queue,
        definition,
        step,
        task -> new WorkflowExecution<T>(task, clock).run(codec, workflow));
  }

  /**
   * The worker's name, for histories and operators. At most 255 characters. Default: made of the
   * process id and something random.
   */
  public WorkerBuilder workerId(String workerId) {
    this.workerId = KeyText.check("workerId", workerId);
    return this;
  }

  /** How many tasks it has in its hands at most. 1 to 10,000, default 64. */
  public WorkerBuilder concurrency(int concurrency) {
    this.concurrency = Limits.within("concurrency", concurrency, 1, 10_000);
    return this;
  }

  /** How long one poll waits for a task. 1 ms to 30 s, default 20 s. */
  public WorkerBuilder pollWait(Duration pollWait) {
    this.pollWait =
        Limits.within("pollWait", pollWait, Duration.ofMillis(1), Duration.ofSeconds(30));
    return this;
  }

  /**
   * How long a task gets heartbeats at most, so that a handler that never ends does not keep its
   * step for ever. Default 24 h.
   */
  public WorkerBuilder holdAtMost(Duration holdAtMost) {
    this.holdAtMost =
        Limits.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365));
    return this;
  }

  /** How long {@link Worker#close} lets handlers end. Default 30 s. */
  public WorkerBuilder closeTimeout(Duration closeTimeout) {
    this.closeTimeout = Limits.positive("closeTimeout", closeTimeout);
    return this;
  }

  /** Interrupt the thread of a handler whose task is lost. Default true. */
  public WorkerBuilder interruptWhenLost(boolean interruptWhenLost) {
    this.interruptWhenLost = interruptWhenLost;
    return this;
  }

  /**
   * What failures mean that are no {@link WorkFailure}; an unknown effect counts as retryable.
   * Default {@link FailureClassifier#retryable}.
   */
  public WorkerBuilder failures(FailureClassifier classifier) {
    this.classifier = Objects.requireNonNull(classifier, "classifier");
    return this;
  }

  /**
   * Where handlers run; it stays the caller's. Default: a virtual thread each, from Java 21 on;
   * else as many daemon threads as {@link #concurrency}.
   */
  public WorkerBuilder executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /** The wall clock that {@link WorkflowContext#sleep} reads. Default: the system's. */
  public WorkerBuilder clock(Clock clock) {
    this.clock = Objects.requireNonNull(clock, "clock");
    return this;
  }

  /**
   * Starts to poll. To be called once.
   *
   * @throws IllegalStateException if there is no handler
   */
  public Worker start() {
    if (handlers.queues().isEmpty()) {
      throw new IllegalStateException("the worker has no handler");
    }
    return Worker.start(this);
  }

  ClientConnection connection() {
    return connection;
  }

  ClientOptions options() {
    return connection.options();
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

  Executor executorOrDefault() {
    Executor own = executor;
    return own == null ? HandlerThreads.of(concurrency) : own;
  }
}
