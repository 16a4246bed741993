package dev.hapax.client.operation;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.UnknownOutcome;
import dev.hapax.client.internal.rpc.OperationRpcs;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.OnReleasedMismatch;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt to begin an operation, with one attempt id over all retries. */
final class BeginOperationCall<T extends @Nullable Object> {

  private static final Logger log = LoggerFactory.getLogger(BeginOperationCall.class);

  private final OperationLifecycle lifecycle;
  private final OperationPolicy policy;
  private final PayloadCodec<T> codec;
  private final BeginOperationRequest request;
  private final CompletableFuture<BeginResult<T>> begun = new CompletableFuture<>();

  BeginOperationCall(
      OperationLifecycle lifecycle,
      OperationRequest wanted,
      OperationPolicy policy,
      PayloadCodec<T> codec) {
    this.lifecycle = lifecycle;
    this.policy = policy;
    this.codec = codec;
    this.request =
        BeginOperationRequest.newBuilder()
            .setWorkspace(lifecycle.workspace())
            .setAccount(wanted.account())
            .setOperation(wanted.operation())
            .setRequestId(wanted.requestId())
            .setAttemptId(UUID.randomUUID().toString())
            .setFingerprint(wanted.fingerprint().bytes())
            .setLease(ProtoTimes.toProto(policy.lease()))
            .setTtl(ProtoTimes.toProto(policy.ttl()))
            .setWait(ProtoTimes.toProto(policy.maxWait()))
            .setAccountChanging(policy.accountChanging())
            .setOnStale(policy.onStale().toProto())
            .setOnReleasedMismatch(
                policy.acceptCorrections()
                    ? OnReleasedMismatch.ON_RELEASED_MISMATCH_ACCEPT
                    : OnReleasedMismatch.ON_RELEASED_MISMATCH_KEY_REUSED)
            .setRequireRequestId(policy.requireRequestId())
            .build();
  }

  /**
   * Begins the operation. A caller that stops waiting cancels the future; a grant that arrives
   * later is released at once, which is safe as no work has begun.
   */
  CompletableFuture<BeginResult<T>> start() {
    Duration bound = RetryingCalls.withinDeadline(policy.beginTimeout().plus(policy.maxWait()));
    Timing.Timer end = lifecycle.timing().after(bound, () -> unavailable(tooLate()));
    var unused = begun.whenComplete((any, error) -> end.cancel());
    var unusedToo = send(policy.maxWait(), bound).whenComplete(this::answered);
    return begun;
  }

  private CompletableFuture<RetryingCalls.Answer<BeginOperationResponse>> send(
      Duration wait, Duration bound) {
    return lifecycle
        .transport()
        .sendUntilAnswered(OperationRpcs.BEGIN_OPERATION, request, wait, bound);
  }

  private void answered(
      RetryingCalls.@Nullable Answer<BeginOperationResponse> answer, @Nullable Throwable error) {
    if (answer == null) {
      failed((StatusRuntimeException) error);
    } else if (isLeaseMostlyUsed(answer)) {
      // the lease counts from the request, so the wait may have used it up: repeating the attempt
      // extends it
      var unused = send(Duration.ZERO, policy.beginTimeout()).whenComplete(this::take);
    } else {
      take(answer, null);
    }
  }

  private boolean isLeaseMostlyUsed(RetryingCalls.Answer<BeginOperationResponse> answer) {
    return answer.response().hasAcquired()
        && answer.roundTrip() > policy.lease().toNanos() / 4
        && !policy.maxWait().isZero();
  }

  private void take(
      RetryingCalls.@Nullable Answer<BeginOperationResponse> answer, @Nullable Throwable error) {
    if (answer == null) {
      failed((StatusRuntimeException) error);
      return;
    }
    try {
      decide(answer);
    } catch (RuntimeException unreadable) {
      begun.completeExceptionally(unreadable);
    }
  }

  private void decide(RetryingCalls.Answer<BeginOperationResponse> answer) {
    BeginOperationResponse response = answer.response();
    switch (response.getOutcomeCase()) {
      case ACQUIRED -> acquired(answer, response.getAcquired());
      case REPLAY -> decided(ReplayReader.outcome(response.getReplay(), codec, false));
      case IN_PROGRESS -> {
        var other = response.getInProgress();
        decided(
            new Outcome.InProgress<>(
                ProtoTimes.toJava(other.getStartedAt()),
                other.getAttempt(),
                ProtoTimes.toJava(other.getRetryAfter())));
      }
      case KEY_REUSED -> decided(new Outcome.KeyReused<>());
      case INDETERMINATE -> {
        var other = response.getIndeterminate();
        decided(
            new Outcome.Indeterminate<>(
                ProtoTimes.toJava(other.getStartedAt()), other.getAttempt()));
      }
      case UNTRACKED -> begun.complete(new BeginResult.Granted<>(RunningOperation.untracked()));
      case OUTCOME_NOT_SET ->
          throw new IllegalStateException("a call fails if its outcome is unknown");
    }
  }

  private void decided(Outcome<T> outcome) {
    begun.complete(new BeginResult.Decided<>(outcome));
  }

  private void acquired(
      RetryingCalls.Answer<BeginOperationResponse> answer, BeginOperationResponse.Acquired grant) {
    RunningOperation operation = lifecycle.running(answer, grant, policy);
    if (!begun.complete(new BeginResult.Granted<>(operation))) {
      log.debug("the caller stopped waiting, releasing claim {}", grant.getClaim().getId());
      lifecycle.completion().releaseGrant(operation);
    }
  }

  private void failed(@Nullable StatusRuntimeException error) {
    StatusRuntimeException known = error == null ? tooLate() : error;
    if (known instanceof UnknownOutcome) {
      // never fails open: Hapax is there
      begun.completeExceptionally(UnaryCalls.toException(known));
      return;
    }
    switch (known.getStatus().getCode()) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION ->
          begun.completeExceptionally(new OperationException.Refused(known));
      // never fails open: a caller without rights must not run work that Hapax cannot track
      case UNAUTHENTICATED, PERMISSION_DENIED ->
          begun.completeExceptionally(UnaryCalls.toException(known));
      default -> unavailable(known);
    }
  }

  private void unavailable(StatusRuntimeException error) {
    // failOpen must not admit a request that lacks its required key
    boolean isKeyMissing = policy.requireRequestId() && request.getRequestId().isEmpty();
    if (policy.failOpen() && !isKeyMissing) {
      if (!begun.isDone()) {
        lifecycle.failedOpen(request.getOperation(), error);
      }
      begun.complete(new BeginResult.Granted<>(RunningOperation.untracked()));
    } else {
      begun.completeExceptionally(new OperationException.Unavailable(error));
    }
  }

  private static StatusRuntimeException tooLate() {
    return Status.DEADLINE_EXCEEDED.withDescription("no response in time").asRuntimeException();
  }
}
