package dev.hapax.client.operation;

import dev.hapax.client.FailureKind;
import dev.hapax.client.internal.SerialExecutor;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One unary call with a key: receives the request, begins the operation, and runs the handler if
 * the operation is granted.
 *
 * <p>The handler runs on its own executor, in the {@link Context} of the interceptors before this
 * one, without the caller's cancellation and deadline. It learns that the call is over after it has
 * closed it, as inner interceptors may clean up then.
 */
final class IdempotentCall<Q, R> extends ServerCall.Listener<Q> implements AsyncWork<R> {

  private static final Logger log = LoggerFactory.getLogger(IdempotentCall.class);

  private final ServerCall<Q, R> call;
  private final Metadata headers;
  private final ServerCallHandler<Q, R> next;
  private final Executor serial;
  private final BiFunction<Q, IdempotentCall<Q, R>, CompletableFuture<Outcome<R>>> execution;
  private final ResponseWriter<Q, R> responses;
  private final RecordedCall<Q, R> recorded;
  private final Context context = Context.current();
  private @Nullable Q request;
  private boolean over;
  private volatile boolean started;
  // touched by tasks of `serial` only
  private ServerCall.@Nullable Listener<Q> handler;

  /**
   * Requests the message at once; the handler's own flow control has no effect.
   *
   * @param execution executes the operation of a request, with this as its work
   */
  IdempotentCall(
      ServerCall<Q, R> call,
      Metadata headers,
      ServerCallHandler<Q, R> next,
      Executor executor,
      boolean failOpen,
      BiFunction<Q, IdempotentCall<Q, R>, CompletableFuture<Outcome<R>>> execution) {
    this.call = call;
    this.headers = headers;
    this.next = next;
    this.serial = new SerialExecutor(executor);
    this.execution = execution;
    this.recorded = new RecordedCall<>(call);
    this.responses = new ResponseWriter<>(call, recorded, failOpen);
    call.request(2); // 2, to detect a caller that sends a second message
  }

  @Override
  public void onMessage(Q message) {
    if (request != null) {
      refuse("a unary call must carry exactly one request message");
    }
    request = message;
  }

  @Override
  public void onHalfClose() {
    Q message = request;
    if (message == null) {
      refuse("a unary call must carry a request message");
    } else if (!over) {
      var unused = execution.apply(message, this).whenComplete(responses::send);
    }
  }

  private void refuse(String mistake) {
    if (!over) {
      over = true;
      call.close(Status.INTERNAL.withDescription(mistake), new Metadata());
    }
  }

  @Override
  public CompletionStage<R> start(RunningOperation operation) {
    if (call.isCancelled()) {
      // the handler has not run, so the key can be released
      operation.failAs(FailureKind.RETRYABLE);
      return CompletableFuture.failedFuture(
          Status.CANCELLED.withDescription("the caller cancelled the call").asRuntimeException());
    }
    started = true;
    Context running = context.fork().withValue(Idempotency.RUNNING, operation);
    try {
      serial.execute(running.wrap(this::handle));
    } catch (RejectedExecutionException full) {
      operation.failAs(FailureKind.RETRYABLE);
      return CompletableFuture.failedFuture(
          Status.UNAVAILABLE
              .withDescription("the handler's executor rejected the call")
              .asRuntimeException());
    }
    return recorded.answer();
  }

  private void handle() {
    try {
      ServerCall.Listener<Q> listener = next.startCall(recorded, headers);
      handler = listener;
      Q message = request;
      if (message != null) {
        listener.onMessage(message);
      }
      listener.onHalfClose();
    } catch (Throwable thrown) {
      recorded.threw(thrown);
    }
  }

  @Override
  public void onReady() {
    notifyHandler(ServerCall.Listener::onReady);
  }

  @Override
  public void onComplete() {
    notifyHandler(ServerCall.Listener::onComplete);
  }

  @Override
  public void onCancel() {
    log.debug("the caller cancelled; the work continues, and its response is recorded");
    var unused =
        recorded
            .answer()
            .whenComplete((answer, failure) -> notifyHandler(ServerCall.Listener::onCancel));
  }

  private void notifyHandler(Consumer<ServerCall.Listener<Q>> event) {
    if (!started) {
      return;
    }
    try {
      serial.execute(
          context
              .fork()
              .wrap(
                  () -> {
                    if (handler != null) {
                      event.accept(handler);
                    }
                  }));
    } catch (RejectedExecutionException full) {
      log.warn("a handler was not notified of the end of its call: its executor rejected the task");
    }
  }
}
