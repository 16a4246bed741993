package dev.hapax.client;

import io.grpc.Channel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs work once per request id. Thread-safe; one per process is enough. It owns no channel and no
 * thread of its own and need not be closed; a stream is open while there are calls to Hapax, and a
 * second or two longer.
 *
 * <pre>{@code
 * Operations operations = Operations.on(channel);
 * Outcome<Order> outcome =
 *     operations.execute(
 *         OperationRequest.of("orders.v1.Orders/Place", requestId)
 *             .withAccount(account)
 *             .withFingerprint(Fingerprint.of(request)),
 *         Codec.message(Order.parser()),
 *         operation -> place(request, operation.fence()));
 * Order order = outcome.orThrow();
 * }</pre>
 *
 * <p>Every call to Hapax carries its key and is sent again after a lost answer, with growing pauses
 * of 100 ms to 2 s.
 */
public final class Operations {

  private final OperationLifecycle lifecycle;
  private final OperationPolicy policy;

  private Operations(OperationLifecycle lifecycle, OperationPolicy policy) {
    this.lifecycle = lifecycle;
    this.policy = policy;
  }

  /** With every default. */
  public static Operations on(Channel channel) {
    return newBuilder(channel).build();
  }

  /** Over a channel to a Hapax server; see {@link HapaxServiceConfig}. */
  public static Builder newBuilder(Channel channel) {
    return new Builder(channel);
  }

  /**
   * Runs the work on this thread if nobody has, and answers how it ended. It blocks; its calls to
   * Hapax end in bounded time (the policy's {@code beginTimeout} and {@code maxWait}; 60 s to
   * record, see {@link Builder#recordTimeout}).
   *
   * <p>What the work throws is recorded as a failure and thrown on unchanged, unless another
   * attempt ended the operation in the meantime: then its outcome is returned.
   *
   * @throws OperationException.Unavailable if Hapax cannot be reached, or this thread is
   *     interrupted, before the work; the same call may be made again
   * @throws OperationException.Refused if Hapax refuses the request
   * @throws OperationException.Unreadable if the codec cannot read the stored result
   */
  public <T extends @Nullable Object, E extends Exception> Outcome<T> execute(
      OperationRequest request, Codec<T> codec, Work<? extends T, E> work) throws E {
    OperationPolicy chosen = policyOf(request);
    BeginResult<T> begun = await(lifecycle.<T>begin(request, chosen, codec));
    if (begun instanceof BeginResult.Decided<T> decided) {
      return decided.outcome();
    }
    RunningOperation operation = ((BeginResult.Granted<T>) begun).operation();
    InterruptibleThread thread =
        chosen.interruptWhenLost() ? new InterruptibleThread(operation::onLost) : null;
    T value;
    try {
      value = work.run(operation);
    } catch (Throwable thrown) {
      ended(thread);
      var instead = join(lifecycle.settling().failed(operation, codec, thrown));
      if (instead.isPresent()) {
        return instead.get();
      }
      throw thrown;
    }
    ended(thread);
    return join(lifecycle.settling().completed(operation, codec, value));
  }

  /**
   * As {@link #execute}, without blocking a thread. The future fails with what the work failed
   * with, or with an {@link OperationException}. Cancelling it does not cancel the operation.
   */
  public <T extends @Nullable Object> CompletableFuture<Outcome<T>> executeAsync(
      OperationRequest request, Codec<T> codec, AsyncWork<T> work) {
    return lifecycle.run(request, policyOf(request), codec, work);
  }

  /** How often work ran untracked because Hapax could not be reached and the policy allowed it. */
  public long failedOpen() {
    return lifecycle.failedOpen();
  }

  private OperationPolicy policyOf(OperationRequest request) {
    OperationPolicy own = request.policy();
    return own == null ? policy : own;
  }

  private static void ended(@Nullable InterruptibleThread thread) {
    if (thread != null) {
      thread.ended();
    }
  }

  private static <R> R await(CompletableFuture<R> future) {
    try {
      return future.get();
    } catch (InterruptedException interrupted) {
      future.cancel(false);
      Thread.currentThread().interrupt();
      throw new OperationException.Unavailable(interrupted);
    } catch (ExecutionException failed) {
      throw unchecked(failed.getCause());
    }
  }

  private static <R> R join(CompletableFuture<R> future) {
    try {
      return future.join();
    } catch (CompletionException failed) {
      throw unchecked(failed.getCause());
    }
  }

  private static RuntimeException unchecked(@Nullable Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException known ? known : new IllegalStateException(thrown);
  }

  /** Settings of {@link Operations}. */
  public static final class Builder {
    private final Channel channel;
    private String workspace = "";
    private OperationPolicy policy = OperationPolicy.DEFAULT;
    private FailureClassifier classifier = FailureClassifier.retryable();
    private Duration tryTimeout = Duration.ofSeconds(5);
    private Duration recordTimeout = Duration.ofSeconds(60);
    private boolean streams = true;
    private Timing timing = SystemTiming.INSTANCE;

    private Builder(Channel channel) {
      this.channel = Objects.requireNonNull(channel, "channel");
    }

    /** The tenant, {@code [a-z][a-z0-9-]{0,62}}. Default: the server's, {@code default}. */
    public Builder workspace(String workspace) {
      this.workspace = Objects.requireNonNull(workspace, "workspace");
      return this;
    }

    /** For requests without a policy of their own. Default {@link OperationPolicy#DEFAULT}. */
    public Builder policy(OperationPolicy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /** What failures mean. Default {@link FailureClassifier#retryable}. */
    public Builder failures(FailureClassifier classifier) {
      this.classifier = Objects.requireNonNull(classifier, "classifier");
      return this;
    }

    /** How long one try waits for its answer before it is sent again. Default 5 s. */
    public Builder tryTimeout(Duration tryTimeout) {
      this.tryTimeout = Limits.positive("tryTimeout", tryTimeout);
      return this;
    }

    /** How long to try to record how the work ended. Default 60 s. */
    public Builder recordTimeout(Duration recordTimeout) {
      this.recordTimeout = Limits.positive("recordTimeout", recordTimeout);
      return this;
    }

    /**
     * Whether the calls to Hapax travel on one stream, which costs less than a call for each.
     * Interceptors of the channel see the stream instead of the calls. A server that has no streams
     * gets calls. Default true.
     */
    public Builder streams(boolean streams) {
      this.streams = streams;
      return this;
    }

    Builder timing(Timing timing) {
      this.timing = timing;
      return this;
    }

    /** Makes no call yet. */
    public Operations build() {
      RetryingCalls wire =
          new RetryingCalls(channel, timing, tryTimeout, streams ? stream() : CallRoute.NONE);
      OperationCompletion settling =
          new OperationCompletion(wire, workspace, recordTimeout, classifier);
      return new Operations(new OperationLifecycle(wire, timing, workspace, settling), policy);
    }

    private CallRoute stream() {
      return new StreamedCalls<>(
          channel, timing, tryTimeout, new OperationCalls(), OperationCalls.REQUESTS);
    }
  }
}
