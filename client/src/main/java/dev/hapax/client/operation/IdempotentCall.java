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
 * One unary call with a key: takes the request from the wire, begins the operation, and lets the
 * handler run if it is granted.
 *
 * <p>The handler starts only then, on its own executor, in the {@link Context} of the interceptors
 * before this one but freed of the caller's cancellation and deadline. That the call is over it
 * learns after it has closed it, as inner interceptors may tidy up on that.
 */
final class IdempotentCall<Q, R> extends ServerCall.Listener<Q> implements AsyncWork<R> {

  private static final Logger log = LoggerFactory.getLogger(IdempotentCall.class);

  private final ServerCall<Q, R> call;
  private final Metadata headers;
  private final ServerCallHandler<Q, R> next;
  private final Executor serial;
  private final BiFunction<Q, IdempotentCall<Q, R>, CompletableFuture<Outcome<R>>> execution;
  private final ResponseWriter<Q, R> answering;
  private final RecordedCall<Q, R> recorded;
  private final Context context = Context.current();
  private @Nullable Q request;
  private boolean over;
  private volatile boolean started;
  // touched by tasks of `serial` only
  private ServerCall.@Nullable Listener<Q> handler;

  /**
   * Asks for the request at once; the handler's own asking counts for nothing.
   *
   * @param execution hands the operation of a request, with this as its work, to the lifecycle
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
    this.answering = new ResponseWriter<>(call, recorded, failOpen);
    call.request(2); // a second one would be the caller's mistake, and is to be seen
  }

  @Override
  public void onMessage(Q message) {
    if (request != null) {
      refuse("Too many requests");
    }
    request = message;
  }

  @Override
  public void onHalfClose() {
    Q message = request;
    if (message == null) {
      refuse("Half-closed without a request");
    } else if (!over) {
      var unused = execution.apply(message, this).whenComplete(answering::send);
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
      // nothing has happened yet, so the key can be given back
      operation.failAs(FailureKind.RETRYABLE);
      return CompletableFuture.failedFuture(
          Status.CANCELLED.withDescription("the caller is gone").asRuntimeException());
    }
    started = true;
    Context running = context.fork().withValue(Idempotency.RUNNING, operation);
    try {
      serial.execute(running.wrap(this::handle));
    } catch (RejectedExecutionException full) {
      operation.failAs(FailureKind.RETRYABLE);
      return CompletableFuture.failedFuture(
          Status.UNAVAILABLE
              .withDescription("the handler's executor takes no more work")
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
    tell(ServerCall.Listener::onReady);
  }

  @Override
  public void onComplete() {
    tell(ServerCall.Listener::onComplete);
  }

  @Override
  public void onCancel() {
    log.debug("the caller is gone; the work goes on, and its answer is recorded");
    var unused =
        recorded.answer().whenComplete((answer, failure) -> tell(ServerCall.Listener::onCancel));
  }

  private void tell(Consumer<ServerCall.Listener<Q>> event) {
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
      log.warn("a handler is not told of the end of its call: its executor takes no more work");
    }
  }
}
