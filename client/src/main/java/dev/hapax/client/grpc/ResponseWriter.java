package dev.hapax.client.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.hapax.client.HapaxException;
import dev.hapax.client.OnceOutcome;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.RpcStatus;
import dev.hapax.v1.Failure;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts the outcome of an operation to the response of the gRPC call. */
final class ResponseWriter<Q, R> {

  private static final Logger log = LoggerFactory.getLogger(ResponseWriter.class);

  private final ServerCall<Q, R> call;
  private final RecordedCall<Q, R> recorded;
  private final boolean failOpen;

  ResponseWriter(ServerCall<Q, R> call, RecordedCall<Q, R> recorded, boolean failOpen) {
    this.call = call;
    this.recorded = recorded;
    this.failOpen = failOpen;
  }

  void send(OnceOutcome<R> outcome) {
    unlessCancelled(() -> write(outcome));
  }

  /** Sends the status of the handler, or says why it did not run. */
  void fail(Throwable failure) {
    unlessCancelled(() -> writeFailure(failure));
  }

  private void unlessCancelled(Runnable response) {
    if (call.isCancelled()) {
      return;
    }
    try {
      response.run();
    } catch (RuntimeException thrown) {
      // the caller or the transport closed the call in the meantime
      log.warn("sending a response failed", thrown);
    }
  }

  private void write(OnceOutcome<R> outcome) {
    if (outcome instanceof OnceOutcome.Done<R> own) {
      own(own.value(), own.isRecorded());
    } else if (outcome instanceof OnceOutcome.Replayed<R> other) {
      Metadata trailers = new Metadata();
      trailers.put(IdempotencyInterceptor.REPLAYED, "true");
      respond(new Metadata(), other.value(), trailers);
    } else if (outcome instanceof OnceOutcome.Rejected<R> other) {
      reject(other.failure().message());
    } else if (outcome instanceof OnceOutcome.Unrecorded<R> unrecorded && failOpen) {
      own(unrecorded.value(), false);
    } else {
      close(refusal(outcome));
    }
  }

  private static StatusRuntimeException refusal(OnceOutcome<?> outcome) {
    if (outcome instanceof OnceOutcome.InProgress<?> other) {
      return IdempotencyStatus.inProgress(other.retryAfter());
    }
    if (outcome instanceof OnceOutcome.KeyReused<?>) {
      return IdempotencyStatus.of(
          Status.Code.FAILED_PRECONDITION,
          IdempotencyReason.IDEMPOTENCY_KEY_REUSED,
          "idempotency-key was already used with another request; use a new one");
    }
    if (outcome instanceof OnceOutcome.Indeterminate<?>) {
      return IdempotencyStatus.of(
          Status.Code.FAILED_PRECONDITION,
          IdempotencyReason.PREVIOUS_ATTEMPT_INDETERMINATE,
          "an earlier attempt may have taken effect; it must be resolved");
    }
    if (outcome instanceof OnceOutcome.NotRetained<?>) {
      return IdempotencyStatus.of(
          Status.Code.FAILED_PRECONDITION,
          IdempotencyReason.RESPONSE_NOT_RETAINED,
          "the call was executed, but its response was not kept");
    }
    if (outcome instanceof OnceOutcome.ClaimLost<?>) {
      return IdempotencyStatus.of(
          Status.Code.ABORTED,
          IdempotencyReason.CLAIM_LOST,
          "another attempt took over; retry to get its response");
    }
    return IdempotencyStatus.of(
        Status.Code.UNAVAILABLE,
        IdempotencyReason.IDEMPOTENCY_UNAVAILABLE,
        "the call was executed, but its response may not be recorded",
        Map.of("executed", "true"));
  }

  private void own(R message, boolean isRecorded) {
    Metadata trailers = recorded.trailers();
    if (!isRecorded) {
      trailers.put(IdempotencyInterceptor.UNRECORDED, "true");
    }
    Metadata headers = recorded.headers();
    respond(headers == null ? new Metadata() : headers, message, trailers);
  }

  private void respond(Metadata headers, R message, Metadata trailers) {
    call.sendHeaders(headers);
    call.sendMessage(message);
    call.close(Status.OK, trailers);
  }

  /** A final failure, with the status of the call that had it. */
  private void reject(Failure failure) {
    Optional<Status.Code> code =
        Arrays.stream(Status.Code.values())
            .filter(known -> known != Status.Code.OK && known.name().equals(failure.getCode()))
            .findFirst();
    StatusRuntimeException rejection =
        code.isPresent()
            ? code.get()
                .toStatus()
                .withDescription(failure.getMessage())
                .asRuntimeException(details(failure))
            : IdempotencyStatus.of(
                Status.Code.FAILED_PRECONDITION,
                IdempotencyReason.OPERATION_REJECTED,
                failure.getMessage(),
                Map.of("code", failure.getCode()));
    Metadata trailers = rejection.getTrailers();
    if (trailers != null) {
      trailers.put(IdempotencyInterceptor.REPLAYED, "true");
    }
    close(rejection);
  }

  private static Metadata details(Failure failure) {
    Metadata trailers = new Metadata();
    if (failure.getDetails().hasBinary()) {
      try {
        ByteString details = failure.getDetails().getBinary();
        RpcStatus.parse(details);
        trailers.put(FailureText.STATUS_DETAILS, details.toByteArray());
      } catch (InvalidProtocolBufferException foreign) {
        log.debug("failure.details is no google.rpc.Status", foreign);
      }
    }
    return trailers;
  }

  private void writeFailure(Throwable failure) {
    Throwable own = failure instanceof WorkFailure ? failure.getCause() : failure;
    if (own instanceof StatusRuntimeException status) {
      Metadata headers = recorded.headers();
      if (headers != null) {
        call.sendHeaders(headers);
      }
      close(status);
    } else {
      close(refusal(failure));
    }
  }

  private StatusRuntimeException refusal(Throwable failure) {
    if (failure instanceof HapaxException.Unavailable) {
      return unavailable();
    }
    if (failure instanceof HapaxException.Unauthenticated
        || failure instanceof HapaxException.PermissionDenied) {
      // of this service, not of its caller, who may retry until the service has another key or role
      log.error("beginning the operation of {} failed: {}", method(), failure.getMessage());
      return unavailable();
    }
    if (failure instanceof HapaxException.Unreadable) {
      log.error("the recorded response of {} cannot be read", method(), failure);
      return IdempotencyStatus.of(
          Status.Code.INTERNAL,
          IdempotencyReason.RESPONSE_UNREADABLE,
          "the call was executed, but its recorded response cannot be read");
    }
    if (isRefused(failure, Status.Code.FAILED_PRECONDITION)) {
      return IdempotencyStatus.of(
          Status.Code.FAILED_PRECONDITION,
          IdempotencyReason.ACCOUNT_MISMATCH,
          "the operation belongs to another account");
    }
    log.error("beginning the operation of {} failed", method(), failure);
    if (isRefused(failure, Status.Code.INVALID_ARGUMENT)) {
      return IdempotencyStatus.of(
          Status.Code.INVALID_ARGUMENT,
          IdempotencyReason.IDEMPOTENCY_KEY_INVALID,
          "the idempotency key, the method or the account is not valid");
    }
    return IdempotencyStatus.of(
        Status.Code.INTERNAL,
        IdempotencyReason.IDEMPOTENCY_MISCONFIGURED,
        "the idempotency key cannot be checked");
  }

  private static boolean isRefused(Throwable failure, Status.Code code) {
    return failure instanceof HapaxException.Refused refused
        && refused.error().getCode() == code.value();
  }

  private static StatusRuntimeException unavailable() {
    return IdempotencyStatus.of(
        Status.Code.UNAVAILABLE,
        IdempotencyReason.IDEMPOTENCY_UNAVAILABLE,
        "the idempotency key cannot be checked; the call was not executed, retry it");
  }

  private void close(StatusRuntimeException answer) {
    Metadata trailers = answer.getTrailers();
    call.close(answer.getStatus(), trailers == null ? new Metadata() : trailers);
  }

  private String method() {
    return call.getMethodDescriptor().getFullMethodName();
  }
}
