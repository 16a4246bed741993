package dev.hapax.grpc.operation;

import dev.hapax.application.operation.Operations;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationLimits;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.domain.operation.RenewOutcome;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.RenewOperationRequest;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The calls of callers and holders: the same as unary rpcs and on an OperationStream. */
record OperationCalls(Operations operations, KeyedIds keyedIds, RandomValues random) {
  private static final UUID NO_UUID = new UUID(0, 0);

  CompletableFuture<BeginOutcome> begin(BeginOperationRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var account = request.getAccount();
    var attemptId = attemptId(request.getAttemptId());
    var fingerprint = Fingerprint.of(request.getFingerprint().toByteArray());
    var lease =
        Durations.decode(request.hasLease(), request.getLease(), LeaseLimits.DEFAULT_OF_OPERATION);
    var ttl = Durations.decode(request.hasTtl(), request.getTtl(), OperationLimits.DEFAULT_TTL);
    var wait = WaitField.read(request);
    var onStale = onStale(request);
    var onReleasedMismatch = onReleasedMismatch(request);
    if (request.getRequestId().isEmpty() && !request.getRequireRequestId()) {
      return CompletableFuture.completedFuture(new BeginOutcome.Untracked());
    }
    var key =
        key(
            workspace,
            account,
            request.getOperation(),
            request.getRequestId(),
            request.getAccountChanging());
    return operations.begin(
        new BeginOperation(
            keyedIds.of(key),
            key,
            fingerprint,
            attemptId,
            random.nonce(),
            lease,
            ttl,
            onStale,
            onReleasedMismatch),
        wait);
  }

  private static OnStale onStale(BeginOperationRequest request) {
    return switch (request.getOnStale()) {
      case ON_STALE_UNSPECIFIED, ON_STALE_TAKE_OVER -> OnStale.TAKE_OVER;
      case ON_STALE_HOLD -> OnStale.HOLD;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  private static OnReleasedMismatch onReleasedMismatch(BeginOperationRequest request) {
    return switch (request.getOnReleasedMismatch()) {
      case ON_RELEASED_MISMATCH_UNSPECIFIED, ON_RELEASED_MISMATCH_KEY_REUSED ->
          OnReleasedMismatch.KEY_REUSED;
      case ON_RELEASED_MISMATCH_ACCEPT -> OnReleasedMismatch.ACCEPT;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  /** Every call without an attempt id is an attempt of its own. */
  private AttemptId attemptId(String sent) {
    return sent.isEmpty() ? new AttemptId(random.uuid()) : AttemptId.of(sent);
  }

  static OperationKey key(
      Workspace workspace, String account, String operation, String requestId, boolean changing) {
    return new OperationKey(
        workspace,
        account,
        FieldReader.required("operation", operation),
        FieldReader.required("request_id", requestId),
        changing);
  }

  CompletableFuture<CompleteOutcome> complete(CompleteOperationRequest request) {
    var result = Payloads.decode(request.hasResult(), request.getResult());
    var accountAfter = FieldReader.optional(request.getAccountAfter());
    return withClaim(
        request.getWorkspace(),
        request.getClaim(),
        new CompleteOutcome.Completed(false),
        granted -> operations.submit(new CompleteOperation(granted.claim(), result, accountAfter)),
        OperationCalls::unknownClaim);
  }

  CompletableFuture<FailOutcome> fail(FailOperationRequest request) {
    var verdict = verdict(request);
    return withClaim(
        request.getWorkspace(),
        request.getClaim(),
        new FailOutcome.Failed(false),
        granted -> operations.submit(new FailOperation(granted.claim(), verdict)),
        OperationCalls::unknownClaim);
  }

  private static FailOperation.Verdict verdict(FailOperationRequest request) {
    var failure = Payloads.decode(request.hasFailure(), request.getFailure());
    return switch (request.getKind()) {
      case FAILURE_KIND_UNSPECIFIED, FAILURE_KIND_RETRYABLE ->
          new FailOperation.Verdict.Retryable(failure);
      case FAILURE_KIND_FINAL ->
          new FailOperation.Verdict.Final(
              failure.orElseThrow(
                  () -> new InvalidFieldException("failure", "is required for FINAL")));
      case FAILURE_KIND_UNKNOWN_EFFECT -> new FailOperation.Verdict.UnknownEffect(failure);
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  CompletableFuture<RenewOutcome> renew(RenewOperationRequest request) {
    var sent = request.getLease();
    var ofUntracked = Durations.decode(request.hasLease(), sent, LeaseLimits.DEFAULT_OF_OPERATION);
    return withClaim(
        request.getWorkspace(),
        request.getClaim(),
        new RenewOutcome.Renewed(ofUntracked),
        granted ->
            operations.submit(
                new RenewOperation(
                    granted.claim(), Durations.decode(request.hasLease(), sent, granted.lease()))),
        OperationCalls::unknownClaim);
  }

  /**
   * Calls the use case for the operation of a claim.
   *
   * @param untracked the outcome for the empty claim, which belongs to an untracked operation
   */
  private static <O> CompletableFuture<O> withClaim(
      String workspace,
      Claim sent,
      O untracked,
      Function<ClaimIds.Granted, CompletableFuture<O>> call,
      Function<Workspace, ? extends O> unknown) {
    if (sent.equals(Claim.getDefaultInstance())) {
      return CompletableFuture.completedFuture(untracked);
    }
    return ClaimIds.read(workspace, sent).call(call, unknown);
  }

  private static OperationClaimLost unknownClaim(Workspace workspace) {
    var unknown = new OperationClaim(new OperationId(workspace, NO_UUID), 0, new Fence(0));
    return new OperationClaimLost(unknown, Optional.empty());
  }
}
