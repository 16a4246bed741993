package dev.hapax.client.grpc;

import dev.hapax.client.Claim;
import dev.hapax.client.OnceOutcome;
import dev.hapax.client.Operation;
import dev.hapax.client.internal.DetectedTraces;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One unary call with a key: receives the request, begins the operation, and runs the handler if
 * the operation is granted.
 *
 * <p>That is one task of the interceptor's executor, in the {@link Context} of the interceptors
 * before this one; the handler's is without the caller's cancellation and deadline. It learns that
 * the call is over after it has closed it, as inner interceptors may clean up then.
 */
final class IdempotentCall<Q, R> extends ServerCall.Listener<Q> {

  private static final Logger log = LoggerFactory.getLogger(IdempotentCall.class);

  private final IdempotencyInterceptor interceptor;
  private final Operation operation;
  private final ServerCall<Q, R> call;
  private final Metadata headers;
  private final ServerCallHandler<Q, R> next;
  private final RecordedCall<Q, R> recorded;
  private final ResponseWriter<Q, R> responses;
  private final Context context = Context.current();
  // done when the task has ended; never, if the handler did not start
  private final CompletableFuture<ServerCall.Listener<Q>> handler = new CompletableFuture<>();
  private @Nullable Q request;
  private boolean over;
  // touched by the task only
  private ServerCall.@Nullable Listener<Q> started;

  /** Requests the message at once; the handler's own flow control has no effect. */
  IdempotentCall(
      IdempotencyInterceptor interceptor,
      Operation operation,
      ServerCall<Q, R> call,
      Metadata headers,
      ServerCallHandler<Q, R> next) {
    this.interceptor = interceptor;
    this.operation = operation;
    this.call = call;
    this.headers = headers;
    this.next = next;
    this.recorded = new RecordedCall<>(call);
    this.responses = new ResponseWriter<>(call, recorded, operation.failsOpen());
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
      try {
        interceptor
            .executor()
            .execute(DetectedTraces.INSTANCE.wrap(context.wrap(() -> run(message))));
      } catch (RejectedExecutionException full) {
        responses.fail(IdempotencyStatus.rejectedByExecutor());
      }
    }
  }

  private void refuse(String mistake) {
    if (!over) {
      over = true;
      call.close(Status.INTERNAL.withDescription(mistake), new Metadata());
    }
  }

  private void run(Q message) {
    try {
      responses.send(outcome(message));
    } catch (Throwable thrown) {
      responses.fail(thrown);
    }
    ServerCall.Listener<Q> listener = started;
    if (listener != null) {
      handler.complete(listener);
    }
  }

  private OnceOutcome<R> outcome(Q message) {
    var method = call.getMethodDescriptor();
    return interceptor
        .hapax()
        .tryOnce(
            operation.fingerprint(MethodMessages.fingerprint(method, message)),
            MethodMessages.codec(method),
            claim -> answer(message, claim));
  }

  private R answer(Q message, Claim claim) {
    if (call.isCancelled()) {
      // the handler has not run, so the key can be released
      throw Status.CANCELLED.withDescription("the caller cancelled the call").asRuntimeException();
    }
    context.fork().withValue(Idempotency.CLAIM, claim).run(() -> handle(message));
    try {
      return recorded.await();
    } catch (StatusRuntimeException failed) {
      throw interceptor.failure(failed);
    }
  }

  private void handle(Q message) {
    try {
      ServerCall.Listener<Q> listener = next.startCall(recorded, headers);
      started = listener;
      listener.onReady();
      listener.onMessage(message);
      listener.onHalfClose();
    } catch (Throwable thrown) {
      recorded.threw(thrown);
    }
  }

  @Override
  public void onComplete() {
    notifyHandler(ServerCall.Listener::onComplete);
  }

  @Override
  public void onCancel() {
    log.debug("the caller cancelled; the work continues, and its response is recorded");
    notifyHandler(ServerCall.Listener::onCancel);
  }

  private void notifyHandler(Consumer<ServerCall.Listener<Q>> event) {
    var unused =
        handler.thenAccept(
            listener -> {
              try {
                context.fork().run(() -> event.accept(listener));
              } catch (RuntimeException thrown) {
                log.error("a handler threw at the end of its call", thrown);
              }
            });
  }
}
