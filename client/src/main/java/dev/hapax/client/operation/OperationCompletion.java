package dev.hapax.client.operation;

import dev.hapax.client.FailureClassifier;
import dev.hapax.client.FailureKind;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.OperationRpcs;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the end of an operation, retrying until it is recorded or time runs out. */
final class OperationCompletion {

  private static final Logger log = LoggerFactory.getLogger(OperationCompletion.class);

  private final RetryingCalls transport;
  private final String workspace;
  private final Duration recordTimeout;
  private final FailureClassifier classifier;

  OperationCompletion(
      RetryingCalls transport,
      String workspace,
      Duration recordTimeout,
      FailureClassifier classifier) {
    this.transport = transport;
    this.workspace = workspace;
    this.recordTimeout = recordTimeout;
    this.classifier = classifier;
  }

  /** Records a result. The lease is renewed until the result is recorded. */
  <T extends @Nullable Object> CompletableFuture<Outcome<T>> recordResult(
      RunningOperation operation, PayloadCodec<T> codec, T value) {
    operation.workEnded();
    if (!operation.isTracked()) {
      return CompletableFuture.completedFuture(new Outcome.Executed<>(value, false));
    }
    if (operation.completion() != null) {
      return committed(operation, codec, value);
    }
    return complete(operation, retainable(codec, value))
        .handle(
            (response, error) -> {
              operation.stopRenewals();
              if (response == null) {
                return unrecorded(operation, value, error);
              }
              return response.hasClaimLost()
                  ? overtaken(operation, response.getClaimLost(), codec, null)
                  : new Outcome.Executed<>(value, true);
            });
  }

  /**
   * Records a failure.
   *
   * @return empty = the failure is the outcome; else the outcome of another attempt
   */
  <T extends @Nullable Object> CompletableFuture<Optional<Outcome<T>>> recordFailure(
      RunningOperation operation, PayloadCodec<T> codec, Throwable failure) {
    operation.workEnded();
    if (!operation.isTracked()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return fail(operation, kind(operation, failure), FailureText.of(failure))
        .handle(
            (response, error) -> {
              operation.stopRenewals();
              if (response == null) {
                return unrecordedFailure(operation, error);
              }
              if (!response.hasClaimLost()) {
                return Optional.empty();
              }
              return Optional.of(
                  wasCommitted(operation, response.getClaimLost())
                      ? OperationCompletion.<T>executed(operation)
                      : overtaken(operation, response.getClaimLost(), codec, failure));
            });
  }

  private static <T extends @Nullable Object> Optional<Outcome<T>> unrecordedFailure(
      RunningOperation operation, @Nullable Throwable error) {
    if (operation.completion() != null) {
      return Optional.of(
          unrecorded(operation, OperationCompletion.<T>executed(operation).value(), error));
    }
    log.warn(
        "recording the failure of claim {} failed, leaving it to its lease", id(operation), error);
    return Optional.empty();
  }

  /**
   * The outcome of work that was completed in a transaction. It asks only by FailOperation: if the
   * transaction was not committed, CompleteOperation would record a result without its writes.
   * FailOperation waits for a transaction that is still open.
   */
  private <T extends @Nullable Object> CompletableFuture<Outcome<T>> committed(
      RunningOperation operation, PayloadCodec<T> codec, T value) {
    if (operation.isCommitted()) {
      operation.stopRenewals();
      return CompletableFuture.completedFuture(new Outcome.Executed<>(value, true));
    }
    Failure reason = FailureText.describe("NOT_COMMITTED", "the transaction was not committed");
    return fail(operation, FailureKind.RETRYABLE, reason)
        .handle(
            (response, error) -> {
              operation.stopRenewals();
              if (response == null) {
                return unrecorded(operation, value, error);
              }
              if (!response.hasClaimLost()) {
                throw new OperationException.NotCommitted();
              }
              return wasCommitted(operation, response.getClaimLost())
                  ? new Outcome.Executed<>(value, true)
                  : overtaken(operation, response.getClaimLost(), codec, null);
            });
  }

  /** FailOperation finds the claim ended in another way: by the transaction. */
  private static boolean wasCommitted(RunningOperation operation, ClaimLost lost) {
    return operation.completion() != null
        && lost.getReason() == ClaimLostReason.CLAIM_LOST_REASON_ENDED;
  }

  // complete() got the value that the work was to return
  @SuppressWarnings("unchecked")
  private static <T extends @Nullable Object> Outcome.Executed<T> executed(
      RunningOperation operation) {
    var completion =
        (RunningOperation.Completion<T>) Objects.requireNonNull(operation.completion());
    return new Outcome.Executed<>(completion.value(), true);
  }

  /** Frees the key of work that has not begun. */
  void releaseGrant(RunningOperation operation) {
    operation.workEnded();
    Failure reason =
        FailureText.describe("NOT_STARTED", "the caller stopped waiting before the grant");
    var unused =
        fail(operation, FailureKind.RETRYABLE, reason)
            .whenComplete((response, error) -> operation.stopRenewals());
  }

  private CompletableFuture<CompleteOperationResponse> complete(
      RunningOperation operation, @Nullable Payload result) {
    CompleteOperationRequest.Builder request =
        CompleteOperationRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(operation.claim())
            .setAccountAfter(operation.accountAfter());
    if (result != null) {
      request.setResult(result);
    }
    var method = OperationRpcs.COMPLETE_OPERATION;
    return retryIfRejected(
        send(method, request.build()),
        rejected -> {
          log.error(
              "Hapax rejected the result of claim {}, recording it without the result",
              id(operation),
              rejected);
          return send(method, request.setResult(ReplayReader.NOT_RETAINED).build());
        });
  }

  private CompletableFuture<FailOperationResponse> fail(
      RunningOperation operation, FailureKind kind, Failure failure) {
    FailOperationRequest.Builder request =
        FailOperationRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(operation.claim())
            .setKind(toProto(kind))
            .setFailure(failure);
    var method = OperationRpcs.FAIL_OPERATION;
    return retryIfRejected(
        send(method, request.build()),
        rejected -> {
          log.error(
              "Hapax rejected the failure of claim {}, recording it without its text",
              id(operation),
              rejected);
          return send(method, request.setFailure(FailureText.describe("FAILED", null)).build());
        });
  }

  private <Q, R> CompletableFuture<R> send(MethodDescriptor<Q, R> method, Q request) {
    return transport
        .sendUntilRecorded(method, request, recordTimeout)
        .thenApply(RetryingCalls.Answer::response);
  }

  /**
   * The effect has happened, so what Hapax rejects is replaced: otherwise the work would run again.
   */
  private static <R> CompletableFuture<R> retryIfRejected(
      CompletableFuture<R> sent, Function<StatusRuntimeException, CompletableFuture<R>> instead) {
    return sent.exceptionallyCompose(
        error -> {
          StatusRuntimeException known = UnaryCalls.statusOf(error);
          return known.getStatus().getCode() == Status.Code.INVALID_ARGUMENT
              ? instead.apply(known)
              : CompletableFuture.failedFuture(known);
        });
  }

  private static <T extends @Nullable Object> @Nullable Payload retainable(
      PayloadCodec<T> codec, T value) {
    Payload result;
    try {
      result = codec.encode(value);
    } catch (RuntimeException thrown) {
      log.error("the codec failed to encode a result; recording the operation without it", thrown);
      return ReplayReader.NOT_RETAINED;
    }
    int size = result == null ? 0 : result.getBinary().size() + result.getJsonBytes().size();
    if (size > PayloadCodec.MAX_BYTES) {
      log.warn(
          "a result of {} bytes exceeds the limit of {}; recording the operation without it",
          size,
          PayloadCodec.MAX_BYTES);
      return ReplayReader.NOT_RETAINED;
    }
    return result;
  }

  private static <T extends @Nullable Object> Outcome<T> overtaken(
      RunningOperation operation,
      ClaimLost lost,
      PayloadCodec<T> codec,
      @Nullable Throwable failure) {
    operation.revoke(lost.getReason());
    return lost.hasReplay()
        ? ReplayReader.outcome(lost.getReplay(), codec, true)
        : new Outcome.ClaimLost<>(lost.getReason(), failure);
  }

  private static <T extends @Nullable Object> Outcome<T> unrecorded(
      RunningOperation operation, T value, @Nullable Throwable error) {
    log.error(
        "the result of claim {} may not be recorded: no response from Hapax", id(operation), error);
    return new Outcome.Unrecorded<>(value, UnaryCalls.statusOf(error));
  }

  private static dev.hapax.v1.FailureKind toProto(FailureKind kind) {
    return switch (kind) {
      case RETRYABLE -> dev.hapax.v1.FailureKind.FAILURE_KIND_RETRYABLE;
      case FINAL -> dev.hapax.v1.FailureKind.FAILURE_KIND_FINAL;
      case UNKNOWN_EFFECT -> dev.hapax.v1.FailureKind.FAILURE_KIND_UNKNOWN_EFFECT;
    };
  }

  private FailureKind kind(RunningOperation operation, Throwable failure) {
    FailureKind chosen = operation.kind();
    if (chosen != null) {
      return chosen;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof WorkFailure declared) {
        return declared.failureKind();
      }
    }
    try {
      return classifier.classify(failure);
    } catch (RuntimeException thrown) {
      log.error("the failure classifier threw; recording an unknown effect", thrown);
      return FailureKind.UNKNOWN_EFFECT;
    }
  }

  private static String id(RunningOperation operation) {
    return operation.claim().getId();
  }
}
