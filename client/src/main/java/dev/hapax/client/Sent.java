package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Calls.Answer;
import dev.hapax.client.internal.SentTrace;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnknownOutcome;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One request that waits for its response, on a stream or as a unary call. */
final class Sent<Q extends Message, R> extends ClientCall.Listener<R> {

  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final Channel channel;
  private final Timing timing;
  private final long deadline;
  private final Context context = Context.current();
  private final CompletableFuture<Answer<R>> answer = new CompletableFuture<>();
  private volatile long sentAt;
  private volatile Runnable cancellation = () -> {};
  private @Nullable R response;

  /** Sends nothing yet. */
  Sent(Channel channel, Timing timing, MethodDescriptor<Q, R> method, Q request, Duration timeout) {
    this.method = method;
    this.request = request;
    this.channel = SentTrace.sendCurrent(channel);
    this.timing = timing;
    this.sentAt = timing.nanos();
    this.deadline = sentAt + timeout.toNanos();
    var unused =
        answer.whenComplete(
            (any, error) -> {
              if (answer.isCancelled()) {
                cancellation.run();
              }
            });
  }

  Q request() {
    return request;
  }

  /** Cancel it to cancel the request. */
  CompletableFuture<Answer<R>> answer() {
    return answer;
  }

  long sentAt() {
    return sentAt;
  }

  long deadline() {
    return deadline;
  }

  /** Sends the request as a unary call, also after a stream ended without its answer. */
  void sendUnary() {
    if (answer.isDone()) {
      return;
    }
    Context callers = context.attach();
    try {
      sentAt = timing.nanos();
      ClientCall<Q, R> call =
          channel.newCall(
              method,
              CallOptions.DEFAULT.withDeadlineAfter(
                  Math.max(1, deadline - sentAt), TimeUnit.NANOSECONDS));
      onCancel(() -> call.cancel("the caller cancelled the call", null));
      call.start(this, new Metadata());
      call.request(2); // 2, to detect a second response
      call.sendMessage(request);
      call.halfClose();
    } catch (RuntimeException refused) {
      failed(status(refused));
    } finally {
      context.detach(callers);
    }
  }

  void onCancel(Runnable task) {
    cancellation = task;
    if (answer.isCancelled()) {
      task.run();
    }
  }

  /**
   * Ends the call.
   *
   * @param outcome its response, or an answer of the stream that has none
   */
  @SuppressWarnings("unchecked") // the response to a request has the type of its method
  void answered(Object outcome) {
    UnknownOutcome.of(method, outcome)
        .ifPresentOrElse(
            this::failed,
            () -> answer.complete(new Answer<>((R) outcome, sentAt, timing.nanos() - sentAt)));
  }

  void failed(StatusRuntimeException error) {
    answer.completeExceptionally(error);
  }

  @Override
  public void onMessage(R message) {
    response = message;
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    R value = response;
    if (!status.isOk()) {
      failed(status.asRuntimeException(trailers));
    } else if (value == null) {
      failed(Status.INTERNAL.withDescription("no response").asRuntimeException());
    } else {
      answered(value);
    }
  }

  static StatusRuntimeException status(@Nullable Throwable error) {
    return error instanceof StatusRuntimeException known
        ? known
        : Status.fromThrowable(error == null ? new IllegalStateException() : error)
            .asRuntimeException();
  }
}
