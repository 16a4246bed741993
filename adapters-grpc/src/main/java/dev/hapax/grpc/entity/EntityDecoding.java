package dev.hapax.grpc.entity;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.DeleteEntity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.domain.entity.ReleaseClaim;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.RenewActionRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Decodes the requests of EntityService. */
final class EntityDecoding {
  private EntityDecoding() {}

  static EntityId id(String workspace, String lifecycle, String id) {
    return new EntityId(FieldReader.workspace(workspace), lifecycle, id);
  }

  static CreateEntity creation(CreateEntityRequest request) {
    return new CreateEntity(
        id(request.getWorkspace(), request.getLifecycle(), request.getEntityId()),
        request.getStatus(),
        request.getReason(),
        CallerReader.actor(request.getActor()));
  }

  static BeginAction begin(BeginActionRequest request, RandomValues random) {
    var entity = id(request.getWorkspace(), request.getLifecycle(), request.getEntityId());
    var requester = request.getRequester();
    return new BeginAction(
        entity,
        request.getStepKey(),
        requester,
        attempt(request.getAttemptId(), random),
        Durations.decode(request.hasLease(), request.getLease()),
        FieldReader.expectedVersion(request.getExpectedVersion()),
        random.nonce(),
        // a guess of the module, right for a module with one lifecycle
        entity.lifecycle(),
        CallerReader.actor(request.getActor(), requester));
  }

  /** Every call without an attempt id is an attempt of its own. */
  private static AttemptId attempt(String sent, RandomValues random) {
    return FieldReader.optional(sent)
        .map(AttemptId::of)
        .orElseGet(() -> new AttemptId(random.uuid()));
  }

  static Optional<Duration> lease(RenewActionRequest request) {
    return Durations.decode(request.hasLease(), request.getLease());
  }

  static Function<ActionClaim, FailAction> failure(FailActionRequest request) {
    var kind = kind(request);
    var message = request.getMessage();
    var actor = request.getActor();
    return claim ->
        new FailAction(claim, kind, message, CallerReader.actor(actor, claim.requester()));
  }

  private static ActionFailureKind kind(FailActionRequest request) {
    return switch (request.getKind()) {
      case ACTION_FAILURE_KIND_UNSPECIFIED, ACTION_FAILURE_KIND_FAILURE ->
          ActionFailureKind.FAILURE;
      case ACTION_FAILURE_KIND_INVALID -> ActionFailureKind.INVALID;
      case ACTION_FAILURE_KIND_EXCEPTION -> ActionFailureKind.EXCEPTION;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  /** Decodes a release, to be applied to a run drawn for the after-effect. */
  static Function<RunId, ReleaseClaim> release(ReleaseClaimRequest request) {
    var entity = id(request.getWorkspace(), request.getLifecycle(), request.getEntityId());
    var requestId = request.getRequestId();
    var reason = request.getReason();
    var expectedVersion = FieldReader.expectedVersion(request.getExpectedVersion());
    var verdict = verdict(request);
    var by = CallerReader.actor(request.getActor());
    return effect ->
        new ReleaseClaim(entity, requestId, reason, expectedVersion, verdict, effect, by);
  }

  private static RecoveryVerdict verdict(ReleaseClaimRequest request) {
    return switch (request.getOutcome()) {
      case RECOVERY_OUTCOME_COMPLETE -> RecoveryVerdict.COMPLETE;
      case RECOVERY_OUTCOME_UNSPECIFIED, RECOVERY_OUTCOME_REVERT -> RecoveryVerdict.REVERT;
      case UNRECOGNIZED -> throw new IllegalStateException("rejected before");
    };
  }

  static DeleteEntity deletion(DeleteEntityRequest request) {
    return new DeleteEntity(
        id(request.getWorkspace(), request.getLifecycle(), request.getEntityId()),
        request.getRequestId(),
        request.getReason(),
        FieldReader.expectedVersion(request.getExpectedVersion()),
        CallerReader.actor(request.getActor()));
  }

  static EntityReads.Query query(ListEntitiesRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    return new EntityReads.Query(
        workspace,
        FieldReader.optional(request.getLifecycle()),
        Set.copyOf(request.getStatusesList()),
        false,
        Optional.empty(),
        Page.size(request.getPageSize()),
        position(workspace, request.getPageToken()));
  }

  static Optional<EntityId> position(Workspace workspace, String token) {
    return PageTokens.position(
        token,
        bytes ->
            new EntityId(
                workspace, LengthPrefixedNames.name(bytes), LengthPrefixedNames.name(bytes)));
  }

  static String token(EntityId id) {
    var names = LengthPrefixedNames.names(id.lifecycle(), id.id());
    return PageTokens.token(ByteBuffer.allocate(names.length).put(names));
  }
}
