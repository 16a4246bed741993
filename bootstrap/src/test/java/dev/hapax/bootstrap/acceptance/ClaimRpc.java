package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Message;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.Claim;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.ValidateLifecycleRequest;
import io.grpc.MethodDescriptor;

/** The rpcs of lifecycles, entities and janitors, to be called with any bytes. */
enum ClaimRpc {
  APPLY(LifecycleServiceGrpc.getApplyLifecyclesMethod()),
  VALIDATE(LifecycleServiceGrpc.getValidateLifecycleMethod()),
  GET_LIFECYCLE(LifecycleServiceGrpc.getGetLifecycleMethod()),
  LIST_LIFECYCLES(LifecycleServiceGrpc.getListLifecyclesMethod()),
  CREATE(EntityServiceGrpc.getCreateEntityMethod()),
  GET(EntityServiceGrpc.getGetEntityMethod()),
  LIST(EntityServiceGrpc.getListEntitiesMethod()),
  EVENTS(EntityServiceGrpc.getListEntityEventsMethod()),
  BEGIN(EntityServiceGrpc.getBeginActionMethod()),
  RENEW(EntityServiceGrpc.getRenewActionMethod()),
  COMPLETE(EntityServiceGrpc.getCompleteActionMethod()),
  FAIL(EntityServiceGrpc.getFailActionMethod()),
  CLAIMS(EntityServiceGrpc.getListClaimsMethod()),
  RELEASE(EntityServiceGrpc.getReleaseClaimMethod()),
  DELETE(EntityServiceGrpc.getDeleteEntityMethod()),
  DECLARE(JanitorServiceGrpc.getDeclareJanitorMethod()),
  LIST_JANITORS(JanitorServiceGrpc.getListJanitorsMethod()),
  SWEEP(JanitorServiceGrpc.getSweepMethod()),
  POLL(JanitorServiceGrpc.getPollRecoveriesMethod()),
  RECOVER(JanitorServiceGrpc.getCompleteRecoveryMethod());

  /** The entity the examples are about. */
  static final String ENTITY = "entity";

  @SuppressWarnings("ImmutableEnumChecker") // it is, and does not say so
  private final RawCall raw;

  ClaimRpc(MethodDescriptor<?, ? extends Message> method) {
    this.raw = new RawCall(method);
  }

  RawCall raw() {
    return raw;
  }

  /** A request of this rpc that can be read. */
  Message.Builder example(ClaimCaller caller, Claim claim) {
    var workspace = caller.workspace();
    return switch (this) {
      case APPLY ->
          caller.application(ClaimCaller.BILLING).toBuilder().addJanitors(ClaimCaller.contract());
      case VALIDATE ->
          ValidateLifecycleRequest.newBuilder()
              .setWorkspace(workspace)
              .setJson(ClaimCaller.BILLING);
      case GET_LIFECYCLE ->
          GetLifecycleRequest.newBuilder().setWorkspace(workspace).setName(ClaimCaller.LIFECYCLE);
      case LIST_LIFECYCLES -> ListLifecyclesRequest.newBuilder().setWorkspace(workspace);
      case CREATE -> caller.creation("another", "draft");
      case GET ->
          GetEntityRequest.newBuilder()
              .setWorkspace(workspace)
              .setLifecycle(ClaimCaller.LIFECYCLE)
              .setEntityId(ENTITY);
      case LIST -> ListEntitiesRequest.newBuilder().setWorkspace(workspace);
      case EVENTS ->
          ListEntityEventsRequest.newBuilder()
              .setWorkspace(workspace)
              .setLifecycle(ClaimCaller.LIFECYCLE)
              .setEntityId(ENTITY);
      case BEGIN -> caller.begin(ENTITY);
      case RENEW -> RenewActionRequest.newBuilder().setWorkspace(workspace).setClaim(claim);
      case COMPLETE -> caller.completion(claim).toBuilder();
      case FAIL -> caller.failure(claim, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE).toBuilder();
      case CLAIMS -> ListClaimsRequest.newBuilder().setWorkspace(workspace);
      case RELEASE -> caller.release(ENTITY, "request");
      case DELETE -> caller.deletion(ENTITY, "request");
      case DECLARE -> caller.declaration(ClaimCaller.contract()).toBuilder();
      case LIST_JANITORS -> ListJanitorsRequest.newBuilder().setWorkspace(workspace);
      case SWEEP -> SweepRequest.newBuilder().setWorkspace(workspace).setModule(ClaimCaller.MODULE);
      case POLL -> caller.polling("worker").setWait(Caller.millis(1));
      case RECOVER -> caller.verdict(claim, RecoveryOutcome.RECOVERY_OUTCOME_REVERT).toBuilder();
    };
  }
}
