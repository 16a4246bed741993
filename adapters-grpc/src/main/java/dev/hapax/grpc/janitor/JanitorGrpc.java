package dev.hapax.grpc.janitor;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.janitor.PollOutcome;
import dev.hapax.application.janitor.SweepOutcome;
import dev.hapax.application.lifecycle.ApplyOutcome;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaimLost;
import dev.hapax.domain.entity.CompleteRecovery;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.call.WaitField;
import dev.hapax.grpc.lifecycle.LifecycleEncoding;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DeclareJanitorResponse;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListJanitorsResponse;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;

/** JanitorService: decodes, calls, encodes. */
public final class JanitorGrpc implements JanitorServiceGrpc.AsyncService, BindableService {
  private final Janitors janitors;
  private final Lifecycles lifecycles;
  private final RecoveryClaims claims;

  public JanitorGrpc(Janitors janitors, Lifecycles lifecycles, KeyedIds keyedIds) {
    this.janitors = janitors;
    this.lifecycles = lifecycles;
    this.claims = new RecoveryClaims(keyedIds);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return JanitorServiceGrpc.bindService(this);
  }

  @Override
  public void declareJanitor(
      DeclareJanitorRequest request, StreamObserver<DeclareJanitorResponse> caller) {
    Unary.respond(
        caller,
        () ->
            lifecycles.apply(
                JanitorDecoding.declaration(request),
                CallerReader.attribution(request.getActor(), request.getReason())),
        JanitorGrpc::declared);
  }

  private static DeclareJanitorResponse declared(ApplyOutcome outcome) {
    var declared = LifecycleEncoding.declared(outcome).getFirst();
    return DeclareJanitorResponse.newBuilder()
        .setContract(declared.getContract())
        .setAlready(declared.getAlready())
        .build();
  }

  @Override
  public void listJanitors(
      ListJanitorsRequest request, StreamObserver<ListJanitorsResponse> caller) {
    Unary.respond(
        caller,
        () ->
            janitors.list(
                FieldReader.workspace(request.getWorkspace()),
                Page.size(request.getPageSize()),
                PageTokens.position(request.getPageToken(), LengthPrefixedNames::name)),
        JanitorGrpc::page);
  }

  private static String module(JanitorStatus watched) {
    return watched.id().module();
  }

  private static ListJanitorsResponse page(Page<JanitorStatus, String> page) {
    var response = ListJanitorsResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            JanitorEncoding::janitor,
            (watched, message) ->
                response.addJanitors(message).setNextPageToken(PageTokens.token(module(watched))));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  @Override
  public void sweep(SweepRequest request, StreamObserver<SweepResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var id = JanitorDecoding.id(request.getWorkspace(), request.getModule());
          return janitors.sweep(id, JanitorDecoding.sweeper(id, request));
        },
        outcome -> swept(request.getModule(), outcome));
  }

  private static SweepResponse swept(String module, SweepOutcome outcome) {
    return switch (outcome) {
      case SweepOutcome.Swept(var freed, var complete) ->
          SweepResponse.newBuilder().setFreed(freed).setComplete(complete).build();
      case SweepOutcome.NotHosted _ -> throw JanitorErrors.mode(module, JanitorMode.REMOTE);
      case SweepOutcome.NotFound _ -> throw JanitorErrors.notFound(module);
    };
  }

  @Override
  public void pollRecoveries(
      PollRecoveriesRequest request, StreamObserver<PollRecoveriesResponse> caller) {
    Unary.respond(
        caller,
        () -> janitors.poll(JanitorDecoding.poll(request), WaitField.readPaced(request)),
        outcome -> polled(request.getModule(), outcome));
  }

  private PollRecoveriesResponse polled(String module, PollOutcome outcome) {
    return switch (outcome) {
      case PollOutcome.Recoveries(var claimed) ->
          PollRecoveriesResponse.newBuilder()
              .addAllRecoveries(
                  claimed.stream().map(each -> JanitorEncoding.recovery(claims, each)).toList())
              .build();
      case PollOutcome.NotRemote _ -> throw JanitorErrors.mode(module, JanitorMode.HOSTED);
      case PollOutcome.NotFound _ -> throw JanitorErrors.notFound(module);
    };
  }

  @Override
  public void completeRecovery(
      CompleteRecoveryRequest request, StreamObserver<CompleteRecoveryResponse> caller) {
    Unary.respond(
        caller,
        () -> completion(request),
        completion -> completion.call(janitors::complete, JanitorGrpc::unknownClaim),
        JanitorEncoding::completed);
  }

  private PresentedClaim<CompleteRecovery> completion(CompleteRecoveryRequest request) {
    var command = JanitorDecoding.completion(request);
    return claims
        .read(request.getWorkspace(), request.getClaim())
        .map(claim -> command.apply(claim, janitors.draw(claim.entity().workspace())));
  }

  private static ActionClaimLost unknownClaim(Workspace workspace) {
    return new ActionClaimLost(ActionClaimLost.Reason.UNKNOWN_CLAIM);
  }
}
