package dev.hapax.grpc.operation;

import dev.hapax.application.operation.Operations;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
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
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.RenewOperationRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/** What callers and holders do with operations: the same as an rpc and on a stream. */
record OperationCalls(Operations operations, KeyedIds identities) {
  private static final UUID NO_UUID = new UUID(0, 0);

  CompletableFuture<BeginOutcome> begin(BeginOperationRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var account = FieldReader.name("account", request.getAccount());
    var attemptId = attemptId(request.getAttemptId());
    var fingerprint =
        FieldReader.read("fingerprint", request.getFingerprint().toByteArray(), Fingerprint::of);
    var lease = lease(request.hasLease(), request.getLease(), OperationLimits.DEFAULT_LEASE);
    var ttl =
        Durations.read(
            "ttl",
            request.hasTtl(),
            request.getTtl(),
            OperationLimits.DEFAULT_TTL,
            OperationLimits::ttl);
    var wait =
        Durations.read(
            "wait", request.hasWait(), request.getWait(), Duration.ZERO, OperationLimits::waitTime);
    var onStale = onStale(request);
    var onReleasedMismatch = onReleasedMismatch(request);
    if (request.getRequestId().isEmpty() && !request.getRequireRequestId()) {
      FieldReader.name("operation", request.getOperation());
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
            identities.of(key),
            key,
            fingerprint,
            attemptId,
            ThreadLocalRandom.current().nextLong(),
            lease,
            ttl,
            onStale,
            onReleasedMismatch),
        Call.withinDeadline(wait));
  }

  private static OnStale onStale(BeginOperationRequest request) {
    return switch (FieldReader.known(
        "on_stale", request.getOnStaleValue(), dev.hapax.v1.OnStale::forNumber)) {
      case ON_STALE_UNSPECIFIED, ON_STALE_TAKE_OVER -> OnStale.TAKE_OVER;
      case ON_STALE_HOLD -> OnStale.HOLD;
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  private static OnReleasedMismatch onReleasedMismatch(BeginOperationRequest request) {
    return switch (FieldReader.known(
        "on_released_mismatch",
        request.getOnReleasedMismatchValue(),
        dev.hapax.v1.OnReleasedMismatch::forNumber)) {
      case ON_RELEASED_MISMATCH_UNSPECIFIED, ON_RELEASED_MISMATCH_KEY_REUSED ->
          OnReleasedMismatch.KEY_REUSED;
      case ON_RELEASED_MISMATCH_ACCEPT -> OnReleasedMismatch.ACCEPT;
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  /** A caller without an attempt id is a stranger each time. */
  private static AttemptId attemptId(String sent) {
    var random = ThreadLocalRandom.current();
    return sent.isEmpty()
        ? new AttemptId(new UUID(random.nextLong(), random.nextLong()))
        : AttemptId.of(FieldReader.name("attempt_id", sent));
  }

  static OperationKey key(
      Workspace workspace, String account, String operation, String requestId, boolean changing) {
    return new OperationKey(
        workspace,
        FieldReader.name("account", account),
        FieldReader.requiredName("operation", operation),
        FieldReader.requiredName("request_id", requestId),
        changing);
  }

  private static Duration lease(boolean isSet, com.google.protobuf.Duration sent, Duration unset) {
    return Durations.read("lease", isSet, sent, unset, OperationLimits::lease);
  }

  CompletableFuture<CompleteOutcome> complete(CompleteOperationRequest request) {
    var result = Payloads.read("result", request.hasResult(), request.getResult());
    var accountAfter = FieldReader.optionalName("account_after", request.getAccountAfter());
    return withClaim(
        request.getWorkspace(),
        request.getClaim(),
        new CompleteOutcome.Completed(false),
        granted -> operations.submit(new CompleteOperation(granted.claim(), result, accountAfter)));
  }

  CompletableFuture<FailOutcome> fail(FailOperationRequest request) {
    var verdict = verdict(request);
    return withClaim(
        request.getWorkspace(),
        request.getClaim(),
        new FailOutcome.Failed(false),
        granted -> operations.submit(new FailOperation(granted.claim(), verdict)));
  }

  private static FailOperation.Verdict verdict(FailOperationRequest request) {
    var failure = Payloads.read("failure", request.hasFailure(), request.getFailure());
    return switch (FieldReader.known(
        "kind", request.getKindValue(), dev.hapax.v1.FailureKind::forNumber)) {
      case FAILURE_KIND_UNSPECIFIED, FAILURE_KIND_RETRYABLE ->
          new FailOperation.Verdict.Retryable(failure);
      case FAILURE_KIND_FINAL ->
          new FailOperation.Verdict.Final(
              failure.orElseThrow(
                  () -> new InvalidFieldException("failure", "is required for FINAL")));
      case FAILURE_KIND_UNKNOWN_EFFECT -> new FailOperation.Verdict.UnknownEffect(failure);
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  CompletableFuture<RenewOutcome> renew(RenewOperationRequest request) {
    var sent = request.getLease();
    var ofUntracked = lease(request.hasLease(), sent, OperationLimits.DEFAULT_LEASE);
    return withClaim(
        request.getWorkspace(),
        request.getClaim(),
        new RenewOutcome.Renewed(ofUntracked),
        granted ->
            operations.submit(
                new RenewOperation(
                    granted.claim(), lease(request.hasLease(), sent, granted.lease()))));
  }

  /**
   * The empty claim is an untracked operation's: there is nothing to do. An id that is not one of
   * ours names nothing.
   */
  private static <O> CompletableFuture<O> withClaim(
      String workspace,
      Claim sent,
      O untracked,
      Function<ClaimIds.Granted, CompletableFuture<O>> call) {
    if (sent.equals(Claim.getDefaultInstance())) {
      FieldReader.workspace(workspace);
      return CompletableFuture.completedFuture(untracked);
    }
    var claim = ClaimIds.read(workspace, sent);
    return claim.found().map(call).orElseGet(() -> nothingIn(claim.workspace()));
  }

  @SuppressWarnings("unchecked") // ClaimLost is an outcome of every verb with a claim
  private static <O> CompletableFuture<O> nothingIn(Workspace workspace) {
    var nothing = new OperationClaim(new OperationId(workspace, NO_UUID), 0, new Fence(0));
    return CompletableFuture.completedFuture((O) new OperationClaimLost(nothing, Optional.empty()));
  }
}
