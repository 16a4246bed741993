package dev.hapax.client.operation;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.client.internal.CallRoute;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.client.internal.OwnTransaction;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.StreamedCalls;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs work once per request id. Thread-safe. A stream is open while there are calls to Hapax, and
 * a second or two longer.
 *
 * <pre>{@code
 * Operations operations = hapax.operations();
 * Outcome<Order> outcome =
 *     operations.execute(
 *         OperationRequest.of("orders.v1.Orders/Place", requestId)
 *             .withAccount(account)
 *             .withFingerprint(Fingerprint.of(request)),
 *         PayloadCodec.message(Order.parser()),
 *         operation -> place(request, operation.fence()));
 * Order order = outcome.orThrow();
 * }</pre>
 *
 * <p>See {@link HapaxClient} for retries.
 */
public final class Operations {

  private final ClientConnection connection;
  private final RetryingCalls transport;
  private final OperationPolicy policy;
  private final FailureClassifier classifier;
  private final OperationLifecycle lifecycle;

  /** Internal; see {@link HapaxClient#operations}. */
  public Operations(ClientConnection connection) {
    this(
        connection,
        connection.calls(connection.options().streams() ? stream(connection) : CallRoute.NONE),
        OperationPolicy.DEFAULT,
        FailureClassifier.retryable());
  }

  private Operations(
      ClientConnection connection,
      RetryingCalls transport,
      OperationPolicy policy,
      FailureClassifier classifier) {
    this.connection = connection;
    this.transport = transport;
    this.policy = policy;
    this.classifier = classifier;
    String workspace = connection.options().workspace();
    this.lifecycle =
        new OperationLifecycle(
            transport,
            connection.timing(),
            connection.options().observer(),
            workspace,
            new OperationCompletion(
                transport, workspace, connection.options().recordTimeout(), classifier));
  }

  private static CallRoute stream(ClientConnection connection) {
    return new StreamedCalls<>(
        connection.channel(),
        connection.timing(),
        connection.options().tryTimeout(),
        new OperationCalls(),
        OperationCalls.REQUESTS);
  }

  /**
   * Returns a copy that applies this policy to requests without their own. Default {@link
   * OperationPolicy#DEFAULT}.
   */
  public Operations withPolicy(OperationPolicy policy) {
    return new Operations(
        connection, transport, Objects.requireNonNull(policy, "policy"), classifier);
  }

  /**
   * Returns a copy that classifies failures of work with this. Default {@link
   * FailureClassifier#retryable}.
   */
  public Operations withFailures(FailureClassifier classifier) {
    return new Operations(
        connection, transport, policy, Objects.requireNonNull(classifier, "classifier"));
  }

  /**
   * Runs the work on this thread, if this call is the first with its request id, and returns the
   * outcome. It blocks; its calls to Hapax end in bounded time (the policy's {@code beginTimeout}
   * and {@code maxWait}; 60 s to record, see {@link dev.hapax.client.ClientOptions#recordTimeout}).
   *
   * <p>An exception of the work is recorded as a failure and rethrown, unless another attempt has
   * ended the operation in the meantime: then its outcome is returned.
   *
   * @throws OperationException.Unavailable if Hapax is unreachable, or this thread is interrupted,
   *     before the work; the same call is safe to repeat
   * @throws OperationException.Refused if Hapax rejects the request
   * @throws HapaxException.Unauthenticated if Hapax rejects the API key
   * @throws HapaxException.PermissionDenied if the caller has no role for operations
   * @throws OperationException.Unreadable if the codec cannot read the recorded result
   */
  public <T extends @Nullable Object, E extends Exception> Outcome<T> execute(
      OperationRequest request, PayloadCodec<T> codec, Work<? extends T, E> work) throws E {
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
      var instead = join(lifecycle.completion().recordFailure(operation, codec, thrown));
      if (instead.isPresent()) {
        return instead.get();
      }
      throw thrown;
    }
    ended(thread);
    return join(lifecycle.completion().recordResult(operation, codec, value));
  }

  /**
   * As {@link #execute(OperationRequest, PayloadCodec, Work)}, with the writes of the work and its
   * result in one transaction on the database of Hapax: both are committed, or neither. An attempt
   * that fails before the commit leaves nothing behind, so that taking over is safe. The client
   * opens a connection, calls the work, records the result and commits. The database role needs the
   * grant {@code complete_operation} for the workspace.
   *
   * <pre>{@code
   * operations.execute(
   *     OperationRequest.of("orders.v1.Orders/Place", requestId),
   *     PayloadCodec.json(),
   *     dataSource,
   *     (operation, connection) -> insertOrder(connection, request));
   * }</pre>
   *
   * <p>If the connection is lost while it commits, the client finds out whether the transaction was
   * committed. The outcome is {@link Outcome.Executed} if it was, and the exception is rethrown if
   * it was not. It is {@link Outcome.Unrecorded} if Hapax does not respond for {@code
   * recordTimeout}. For a transaction of your own, see {@link RunningOperation#complete}.
   *
   * @param codec must write JSON, which PostgreSQL normalizes
   * @throws SQLException if the database fails; nothing was committed
   * @throws SqlCompletionException if Hapax refuses the completion; nothing was committed
   */
  public <T extends @Nullable Object> Outcome<T> execute(
      OperationRequest request,
      PayloadCodec<T> codec,
      DataSource database,
      TransactionalWork<? extends T> work)
      throws SQLException {
    return execute(
        request,
        codec,
        operation ->
            OwnTransaction.<T>commit(
                database,
                connection ->
                    operation.complete(connection, work.run(operation, connection), codec),
                operation::committed));
  }

  /**
   * As {@link #execute(OperationRequest, PayloadCodec, Work)}, without blocking a thread. The
   * future fails with the failure of the work, or with a {@link HapaxException}. Cancelling it does
   * not cancel the operation.
   */
  public <T extends @Nullable Object> CompletableFuture<Outcome<T>> executeAsync(
      OperationRequest request, PayloadCodec<T> codec, AsyncWork<T> work) {
    return lifecycle.run(request, policyOf(request), codec, work);
  }

  /**
   * The number of times that work ran untracked because Hapax was unreachable and the policy
   * allowed it.
   */
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
}
