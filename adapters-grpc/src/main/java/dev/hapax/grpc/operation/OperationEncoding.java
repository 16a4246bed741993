package dev.hapax.grpc.operation;

import com.google.rpc.Code;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.domain.operation.RenewOutcome;
import dev.hapax.domain.operation.Replay;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteOperationResponse;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.FailOperationResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RenewOperationResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Encodes operations and the responses of OperationService. */
public final class OperationEncoding {
  /** The bounds of the recommended time until a retry. */
  private static final Duration MIN_RETRY = Duration.ofMillis(50);

  private static final Duration MAX_RETRY = Duration.ofSeconds(1);

  private OperationEncoding() {}

  static BeginOperationResponse begun(BeginOutcome outcome) {
    var response = BeginOperationResponse.newBuilder();
    return switch (outcome) {
      case BeginOutcome.Acquired o -> response.setAcquired(acquired(o)).build();
      case BeginOutcome.Replayed o -> response.setReplay(replay(o.replay())).build();
      case BeginOutcome.InProgress o -> response.setInProgress(inProgress(o)).build();
      case BeginOutcome.KeyReused _ ->
          response.setKeyReused(BeginOperationResponse.KeyReused.getDefaultInstance()).build();
      case BeginOutcome.Indeterminate o ->
          response
              .setIndeterminate(
                  BeginOperationResponse.Indeterminate.newBuilder()
                      .setStartedAt(Durations.encode(o.inDoubt().at()))
                      .setAttempt(o.inDoubt().attempt()))
              .build();
      case BeginOutcome.Untracked _ ->
          response.setUntracked(BeginOperationResponse.Untracked.getDefaultInstance()).build();
      case BeginOutcome.AccountMismatch _ ->
          throw GrpcErrors.error(
              Code.FAILED_PRECONDITION,
              ErrorReason.ERROR_REASON_ACCOUNT_MISMATCH,
              "this account-changing operation belongs to another account",
              Map.of());
    };
  }

  private static BeginOperationResponse.Acquired acquired(BeginOutcome.Acquired outcome) {
    return BeginOperationResponse.Acquired.newBuilder()
        .setClaim(ClaimIds.encode(outcome.claim(), outcome.lease()))
        .setLeaseRemaining(Durations.encode(outcome.leaseRemaining()))
        .setAttempt(outcome.attempt())
        .setReclaimed(outcome.reclaimed())
        .setReentrant(outcome.reentrant())
        .build();
  }

  private static BeginOperationResponse.InProgress inProgress(BeginOutcome.InProgress outcome) {
    var left = outcome.leaseRemaining();
    var retry = left.compareTo(MAX_RETRY) > 0 ? MAX_RETRY : left;
    return BeginOperationResponse.InProgress.newBuilder()
        .setStartedAt(Durations.encode(outcome.holder().at()))
        .setAttempt(outcome.holder().attempt())
        .setRetryAfter(Durations.encode(retry.compareTo(MIN_RETRY) < 0 ? MIN_RETRY : retry))
        .build();
  }

  private static dev.hapax.v1.Replay replay(Replay replay) {
    var message = dev.hapax.v1.Replay.newBuilder().setCompletedAt(Durations.encode(replay.at()));
    switch (replay) {
      case Replay.Result r -> r.result().map(Payloads::encode).ifPresent(message::setResult);
      case Replay.Failed r -> message.setFailure(Payloads.encode(r.failure()));
    }
    return message.build();
  }

  static CompleteOperationResponse completed(CompleteOutcome outcome) {
    var response = CompleteOperationResponse.newBuilder();
    return switch (outcome) {
      case CompleteOutcome.Completed o ->
          response
              .setCompleted(
                  CompleteOperationResponse.Completed.newBuilder().setAlready(o.already()))
              .build();
      case OperationClaimLost lost -> response.setClaimLost(claimLost(lost)).build();
    };
  }

  static FailOperationResponse failed(FailOutcome outcome) {
    var response = FailOperationResponse.newBuilder();
    return switch (outcome) {
      case FailOutcome.Failed o ->
          response
              .setFailed(FailOperationResponse.Failed.newBuilder().setAlready(o.already()))
              .build();
      case OperationClaimLost lost -> response.setClaimLost(claimLost(lost)).build();
    };
  }

  static RenewOperationResponse renewed(RenewOutcome outcome) {
    var response = RenewOperationResponse.newBuilder();
    return switch (outcome) {
      case RenewOutcome.Renewed o ->
          response
              .setRenewed(
                  LeaseRenewed.newBuilder().setLeaseRemaining(Durations.encode(o.leaseRemaining())))
              .build();
      case OperationClaimLost lost -> response.setClaimLost(claimLost(lost)).build();
    };
  }

  private static dev.hapax.v1.ClaimLost claimLost(OperationClaimLost lost) {
    return lost.standing()
        .map(standing -> claimLost(lost.reason(), standing))
        .orElseGet(() -> PresentedClaim.unknown(lost.claim().id().workspace()));
  }

  private static dev.hapax.v1.ClaimLost claimLost(
      OperationClaimLost.Reason reason, Operation standing) {
    var message =
        dev.hapax.v1.ClaimLost.newBuilder()
            .setReason(reason(reason))
            .setOperationState(state(standing.state()));
    standing.replay().ifPresent(replay -> message.setReplay(replay(replay)));
    return message.build();
  }

  private static ClaimLostReason reason(OperationClaimLost.Reason reason) {
    return switch (reason) {
      case UNKNOWN_CLAIM -> ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM;
      case LEASE_LOST -> ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST;
      case ENDED -> ClaimLostReason.CLAIM_LOST_REASON_ENDED;
      case RESOLVED -> ClaimLostReason.CLAIM_LOST_REASON_RESOLVED;
    };
  }

  /** Encodes all fields. */
  static dev.hapax.v1.Operation operation(Operation operation) {
    var message = summary(operation).toBuilder();
    switch (operation) {
      case Operation.Completed o -> o.result().map(Payloads::encode).ifPresent(message::setResult);
      case Operation.Rejected o -> message.setFailure(Payloads.encode(o.failure()));
      case Operation.Indeterminate o ->
          o.failure().map(Payloads::encode).ifPresent(message::setFailure);
      case Operation.Released o -> o.failure().map(Payloads::encode).ifPresent(message::setFailure);
      case Operation.InProgress _ -> {}
    }
    return message.build();
  }

  /** Encodes an operation without payloads, for lists. */
  public static dev.hapax.v1.Operation summary(Operation operation) {
    var key = operation.subject().key();
    var grant = operation.grant();
    var message =
        dev.hapax.v1.Operation.newBuilder()
            .setWorkspace(key.workspace().name())
            .setAccount(key.account())
            .setOperation(key.operation())
            .setRequestId(key.requestId())
            .setAccountChanging(key.accountChanging())
            .setState(state(operation.state()))
            .setFence(grant.fence().value())
            .setAttempt(grant.attempt())
            .setStartedAt(Durations.encode(grant.at()))
            .setExpiresAt(Durations.encode(grant.expiresAt()));
    operation
        .subject()
        .resolution()
        .map(OperationSubject.Resolution::by)
        .ifPresent(
            by ->
                message
                    .setResolution(by.reason())
                    .setResolvedBy(by.actor())
                    .setResolvedByPrincipal(by.principal().text()));
    switch (operation) {
      case Operation.InProgress o -> message.setLeaseUntil(Durations.encode(o.leaseUntil()));
      case Operation.Indeterminate o -> ended(message, o.since(), o.failure());
      case Operation.Released o -> ended(message, o.since(), o.failure());
      case Operation.Completed o -> {
        ended(message, o.since(), Optional.empty());
        o.accountAfter().ifPresent(message::setAccountAfter);
      }
      case Operation.Rejected o -> ended(message, o.since(), Optional.of(o.failure()));
    }
    return message.build();
  }

  private static void ended(
      dev.hapax.v1.Operation.Builder message,
      Instant at,
      Optional<dev.hapax.domain.Failure> failure) {
    message.setEndedAt(Durations.encode(at));
    failure.ifPresent(f -> message.setFailure(Payloads.encode(f).toBuilder().clearDetails()));
  }

  static OperationState state(Operation.State state) {
    return switch (state) {
      case IN_PROGRESS -> OperationState.OPERATION_STATE_IN_PROGRESS;
      case INDETERMINATE -> OperationState.OPERATION_STATE_INDETERMINATE;
      case RELEASED -> OperationState.OPERATION_STATE_RELEASED;
      case COMPLETED -> OperationState.OPERATION_STATE_COMPLETED;
      case REJECTED -> OperationState.OPERATION_STATE_REJECTED;
    };
  }
}
