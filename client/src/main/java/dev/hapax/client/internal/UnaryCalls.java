package dev.hapax.client.internal;

import dev.hapax.client.HapaxException;
import dev.hapax.client.Observer.CallKind;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Calls that are retried and fail with a {@link HapaxException}. */
public final class UnaryCalls {

  private final RetryingCalls transport;
  private final Duration timeout;

  /**
   * @param timeout how long to retry while Hapax is unreachable
   */
  public UnaryCalls(RetryingCalls transport, Duration timeout) {
    this.transport = transport;
    this.timeout = timeout;
  }

  /**
   * Sends with retries. Fails with a {@link HapaxException}. Cancelling the future cancels the
   * call.
   */
  public <Q, R> CompletableFuture<R> send(MethodDescriptor<Q, R> method, Q request) {
    return send(method, request, Duration.ZERO, timeout);
  }

  /**
   * As {@link #send(MethodDescriptor, Object)}.
   *
   * @param wait how long the server may hold the request on purpose
   */
  public <Q, R> CompletableFuture<R> send(
      MethodDescriptor<Q, R> method, Q request, Duration wait, Duration timeout) {
    CompletableFuture<RetryingCalls.Answer<R>> sent =
        transport.sendUntilAnswered(method, request, wait, timeout);
    CompletableFuture<R> answer = new CompletableFuture<>();
    var unused =
        sent.whenComplete(
            (response, error) -> {
              if (error == null) {
                answer.complete(response.response());
              } else {
                answer.completeExceptionally(toException(error));
              }
            });
    var unusedToo =
        answer.whenComplete(
            (response, error) -> {
              if (answer.isCancelled()) {
                sent.cancel(false);
              }
            });
    return answer;
  }

  public Duration timeout() {
    return timeout;
  }

  /**
   * Waits for a response. An interrupt ends the wait with {@link HapaxException.Unavailable}, and
   * the interrupt flag stays set.
   */
  public static <R> R await(CompletableFuture<R> answer) {
    try {
      return answer.get();
    } catch (InterruptedException interrupted) {
      answer.cancel(false);
      Thread.currentThread().interrupt();
      throw new HapaxException.Unavailable(interrupted);
    } catch (ExecutionException failed) {
      throw toException(failed.getCause());
    }
  }

  /** Converts the error of a call to the exception for the caller. */
  public static RuntimeException toException(@Nullable Throwable error) {
    Throwable cause = error == null ? null : unwrap(error);
    if (cause instanceof RuntimeException other && !(other instanceof StatusRuntimeException)) {
      return other;
    }
    StatusRuntimeException status = statusOf(cause);
    return switch (kindOf(status)) {
      case UNKNOWN_ANSWER -> new HapaxException.UnknownAnswer(status);
      case UNAUTHENTICATED -> new HapaxException.Unauthenticated(status);
      case PERMISSION_DENIED -> new HapaxException.PermissionDenied(status);
      case UNAVAILABLE -> new HapaxException.Unavailable(status);
      case OK, CANCELLED, REFUSED -> new HapaxException.Refused(status);
    };
  }

  /** How a call with this error, or without one, has ended. */
  static CallKind kindOf(@Nullable Throwable error) {
    if (error == null) {
      return CallKind.OK;
    }
    if (error instanceof CancellationException) {
      return CallKind.CANCELLED;
    }
    StatusRuntimeException status = statusOf(error);
    if (status instanceof UnknownOutcome) {
      return CallKind.UNKNOWN_ANSWER;
    }
    return switch (status.getStatus().getCode()) {
      case UNAUTHENTICATED -> CallKind.UNAUTHENTICATED;
      case PERMISSION_DENIED -> CallKind.PERMISSION_DENIED;
      default -> Backoff.pause(status, 0).isPresent() ? CallKind.UNAVAILABLE : CallKind.REFUSED;
    };
  }

  /** The status of a failed call. */
  public static StatusRuntimeException statusOf(@Nullable Throwable error) {
    Throwable cause = error == null ? null : unwrap(error);
    return cause instanceof StatusRuntimeException known
        ? known
        : Status.UNKNOWN.withCause(cause).asRuntimeException();
  }

  /** Removes the {@link CompletionException} that futures wrap around an error. */
  public static Throwable unwrap(Throwable error) {
    Throwable cause = error.getCause();
    return error instanceof CompletionException && cause != null ? cause : error;
  }
}
