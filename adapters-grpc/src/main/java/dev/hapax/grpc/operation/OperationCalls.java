package dev.hapax.grpc.operation;

import dev.hapax.application.operation.Operations;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.ClaimLost;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.Identities;
import dev.hapax.domain.operation.LeaseTerms;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.domain.operation.RenewOutcome;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
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
record OperationCalls(Operations operations, Identities identities) {

  CompletableFuture<BeginOutcome> begin(BeginOperationRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var account = Fields.name("account", request.getAccount());
    var attemptId = attemptId(request.getAttemptId());
    var fingerprint =
        Fields.read("fingerprint", request.getFingerprint().toByteArray(), Fingerprint::of);
    var lease = lease(request.hasLease(), request.getLease());
    var ttl =
        Durations.read(
            "ttl", request.hasTtl(), request.getTtl(), LeaseTerms.DEFAULT_TTL, LeaseTerms::ttl);
    var wait =
        Durations.read(
            "wait", request.hasWait(), request.getWait(), Duration.ZERO, LeaseTerms::patience);
    var onStale = onStale(request);
    if (request.getRequestId().isEmpty()) {
      Fields.name("operation", request.getOperation());
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
            onStale),
        Call.withinDeadline(wait));
  }

  private static OnStale onStale(BeginOperationRequest request) {
    return switch (Fields.known(
        "on_stale", request.getOnStaleValue(), dev.hapax.v1.OnStale::forNumber)) {
      case ON_STALE_UNSPECIFIED, ON_STALE_TAKE_OVER -> OnStale.TAKE_OVER;
      case ON_STALE_HOLD -> OnStale.HOLD;
      case UNRECOGNIZED -> throw new IllegalStateException("refused before");
    };
  }

  /** A caller without an attempt id is a stranger each time. */
  private static AttemptId attemptId(String sent) {
    var random = ThreadLocalRandom.current();
    return sent.isEmpty()
        ? new AttemptId(new UUID(random.nextLong(), random.nextLong()))
        : AttemptId.of(Fields.name("attempt_id", sent));
  }

  static OperationKey key(
      Workspace workspace, String account, String operation, String requestId, boolean changing) {
    return new OperationKey(
        workspace,
        Fields.name("account", account),
        Fields.requiredName("operation", operation),
        Fields.requiredName("request_id", requestId),
        changing);
  }

  private static Duration lease(boolean isSet, com.google.protobuf.Duration sent) {
    return Durations.read("lease", isSet, sent, LeaseTerms.DEFAULT_LEASE, LeaseTerms::lease);
  }

  CompletableFuture<CompleteOutcome> complete(CompleteOperationRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var result = Payloads.read("result", request.hasResult(), request.getResult());
    var accountAfter = Fields.optionalName("account_after", request.getAccountAfter());
    return withClaim(
        workspace,
        request.getClaim(),
        new CompleteOutcome.Completed(false),
        claim -> operations.submit(new CompleteOperation(claim, result, accountAfter)));
  }

  CompletableFuture<FailOutcome> fail(FailOperationRequest request) {
    var workspace = Fields.workspace(request.getWorkspace());
    var verdict = verdict(request);
    return withClaim(
        workspace,
        request.getClaim(),
        new FailOutcome.Failed(false),
        claim -> operations.submit(new FailOperation(claim, verdict)));
  }

  private static FailOperation.Verdict verdict(FailOperationRequest request) {
    var failure = Payloads.read("failure", request.hasFailure(), request.getFailure());
    return switch (Fields.known(
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
    var workspace = Fields.workspace(request.getWorkspace());
    var lease = lease(request.hasLease(), request.getLease());
    return withClaim(
        workspace,
        request.getClaim(),
        new RenewOutcome.Renewed(lease),
        claim -> operations.submit(new RenewOperation(claim, lease)));
  }

  /**
   * The empty claim is an untracked operation's: there is nothing to do. An id that is not one of
   * ours names nothing.
   */
  private static <O> CompletableFuture<O> withClaim(
      Workspace workspace,
      Claim sent,
      O untracked,
      Function<OperationClaim, CompletableFuture<O>> call) {
    if (sent.equals(Claim.getDefaultInstance())) {
      return CompletableFuture.completedFuture(untracked);
    }
    Fields.read("claim.id", sent.getId(), Text::requiredName);
    return ClaimIds.decode(workspace, sent).map(call).orElseGet(() -> nothingHere());
  }

  @SuppressWarnings("unchecked") // ClaimLost is an outcome of every verb with a claim
  private static <O> CompletableFuture<O> nothingHere() {
    return CompletableFuture.completedFuture((O) new ClaimLost(Optional.empty()));
  }
}
