package dev.hapax.grpc.entity;

import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CompleteAction;
import dev.hapax.domain.entity.CompleteActionOutcome;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.FailActionOutcome;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.entity.ReleaseClaimOutcome;
import dev.hapax.domain.entity.RenewAction;
import dev.hapax.domain.entity.RenewActionOutcome;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.lifecycle.LifecycleErrors;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginActionResponse.ClaimFailed;
import dev.hapax.v1.BeginActionResponse.Granted;
import dev.hapax.v1.BeginActionResponse.WrongStatus;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.ReleaseClaimResponse;
import dev.hapax.v1.RenewActionResponse;

/** Encodes the responses about actions. */
record ActionOutcomes(ActionClaims claims) {
  BeginActionResponse begun(BeginActionRequest request, BeginActionOutcome outcome) {
    var response = BeginActionResponse.newBuilder();
    return switch (outcome) {
      case BeginActionOutcome.Granted granted -> response.setGranted(granted(granted)).build();
      case BeginActionOutcome.ClaimFailed failed ->
          response.setClaimFailed(claimFailed(failed)).build();
      case BeginActionOutcome.WrongStatus(var status) ->
          response.setWrongStatus(WrongStatus.newBuilder().setStatus(status)).build();
      case BeginActionOutcome.NotAllowed _ ->
          response.setNotAllowed(BeginActionResponse.NotAllowed.getDefaultInstance()).build();
      case BeginActionOutcome.NeedsRecovery _ ->
          response.setNeedsRecovery(BeginActionResponse.NeedsRecovery.getDefaultInstance()).build();
      case BeginActionOutcome.NoLifecycle _ ->
          throw LifecycleErrors.notFound(request.getLifecycle());
      case BeginActionOutcome.NoEntity _ ->
          throw EntityErrors.notFound(request.getLifecycle(), request.getEntityId());
      case BeginActionOutcome.Moved(var entity) -> throw EntityErrors.versionConflict(entity);
      case BeginActionOutcome.Changing _ -> throw LifecycleErrors.changing(request.getLifecycle());
    };
  }

  private Granted granted(BeginActionOutcome.Granted outcome) {
    var message =
        Granted.newBuilder()
            .setClaim(claims.write(outcome.claim(), outcome.lease()))
            .setEntity(EntityEncoding.entity(outcome.entity()))
            .setLeaseRemaining(Durations.encode(outcome.leaseRemaining()))
            .setReentrant(outcome.reentrant())
            .setExclusive(outcome.claim().exclusive());
    outcome.action().ifPresent(message::setAction);
    return message.build();
  }

  private static ClaimFailed claimFailed(BeginActionOutcome.ClaimFailed outcome) {
    var holder = outcome.holder();
    return ClaimFailed.newBuilder()
        .setHolder(holder.holder())
        .setSince(Durations.encode(holder.since()))
        .setLeaseRemaining(Durations.encode(outcome.leaseRemaining()))
        .setMessage(
            "another operation is already in progress: \"%s\" by \"%s\" since %s"
                .formatted(holder.transition().step(), holder.holder(), holder.since()))
        .build();
  }

  static RenewActionResponse renewed(
      PresentedClaim<RenewAction> renewal, RenewActionOutcome outcome) {
    var response = RenewActionResponse.newBuilder();
    return switch (outcome) {
      case RenewActionOutcome.Renewed(var remaining) ->
          response
              .setRenewed(LeaseRenewed.newBuilder().setLeaseRemaining(Durations.encode(remaining)))
              .build();
      case ActionClaimLost lost ->
          response.setClaimLost(EntityEncoding.claimLost(renewal.workspace(), lost)).build();
    };
  }

  static CompleteActionResponse completed(
      PresentedClaim<CompleteAction> completion, CompleteActionOutcome outcome) {
    var response = CompleteActionResponse.newBuilder();
    return switch (outcome) {
      case CompleteActionOutcome.Completed(var completed, _, var already) ->
          response
              .setCompleted(
                  CompleteActionResponse.Completed.newBuilder()
                      .setEntity(EntityEncoding.entity(completed))
                      .setAlready(already))
              .build();
      case CompleteActionOutcome.Changing _ ->
          throw LifecycleErrors.changing(completion.found().orElseThrow().entity().lifecycle());
      case ActionClaimLost lost ->
          response.setClaimLost(EntityEncoding.claimLost(completion.workspace(), lost)).build();
    };
  }

  static FailActionResponse failed(PresentedClaim<FailAction> failure, FailActionOutcome outcome) {
    var response = FailActionResponse.newBuilder();
    return switch (outcome) {
      case FailActionOutcome.Failed(var failed, var already) ->
          response
              .setFailed(
                  FailActionResponse.Failed.newBuilder()
                      .setEntity(EntityEncoding.entity(failed))
                      .setAlready(already))
              .build();
      case ActionClaimLost lost ->
          response.setClaimLost(EntityEncoding.claimLost(failure.workspace(), lost)).build();
    };
  }

  static ReleaseClaimResponse released(ReleaseClaim command, ReleaseClaimOutcome outcome) {
    return switch (outcome) {
      case ReleaseClaimOutcome.Released(var entity, _, var already) ->
          ReleaseClaimResponse.newBuilder()
              .setEntity(EntityEncoding.entity(entity))
              .setAlready(already)
              .build();
      case ReleaseClaimOutcome.NotFound _ -> throw EntityErrors.notFound(command.entity());
      case ReleaseClaimOutcome.NotClaimed(var entity) -> throw EntityErrors.notClaimed(entity);
      case ReleaseClaimOutcome.Moved(var entity) -> throw EntityErrors.versionConflict(entity);
    };
  }
}
