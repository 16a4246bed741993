package dev.hapax.client.internal;

import dev.hapax.v1.Error;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A request on a stream, until it has a response or is sent again as a unary call. */
public final class StreamedCall<Q, R> {

  private final RetryingCalls transport;
  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final long sentAt;
  private final long deadline;
  private final CompletableFuture<RetryingCalls.Answer<R>> answer = new CompletableFuture<>();

  public StreamedCall(
      RetryingCalls transport,
      MethodDescriptor<Q, R> method,
      Q request,
      long sentAt,
      Duration timeout) {
    this.transport = transport;
    this.method = method;
    this.request = request;
    this.sentAt = sentAt;
    this.deadline = sentAt + timeout.toNanos();
  }

  public Q request() {
    return request;
  }

  public long sentAt() {
    return sentAt;
  }

  /** The time after which the call times out. */
  public long deadline() {
    return deadline;
  }

  public CompletableFuture<RetryingCalls.Answer<R>> answer() {
    return answer;
  }

  /** Ends the call with its response, or with an answer of the stream that has none. */
  public void answered(Object response, long now) {
    UnknownOutcome.of(method, response)
        .ifPresentOrElse(answer::completeExceptionally, () -> complete(response, now));
  }

  @SuppressWarnings("unchecked") // the answer to a request has the type of its method
  private void complete(Object response, long now) {
    answer.complete(new RetryingCalls.Answer<>((R) response, sentAt, now - sentAt));
  }

  public void rejected(Error error) {
    answer.completeExceptionally(ErrorStatus.of(error));
  }

  void timedOut() {
    answer.completeExceptionally(
        Status.DEADLINE_EXCEEDED
            .withDescription("no response on the stream in time")
            .asRuntimeException());
  }

  /** Sends the call as a unary call after the stream ended without a response. */
  public void resend(long now) {
    if (answer.isDone()) {
      return;
    }
    CompletableFuture<RetryingCalls.Answer<R>> again =
        transport.sendUnary(method, request, Duration.ofNanos(Math.max(1, deadline - now)));
    var unused =
        again.whenComplete(
            (response, error) -> {
              if (error == null) {
                answer.complete(response);
              } else {
                answer.completeExceptionally(UnaryCalls.unwrap(error));
              }
            });
    var unusedToo =
        answer.whenComplete(
            (response, error) -> {
              if (answer.isCancelled()) {
                again.cancel(false);
              }
            });
  }
}
