package dev.hapax.grpc.hook;

import dev.hapax.application.hook.Hooks;
import dev.hapax.domain.hook.DisposeHook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.domain.run.Actor;
import dev.hapax.grpc.call.Call;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.run.RunErrors;
import dev.hapax.grpc.run.RunIds;
import dev.hapax.grpc.run.RunSignals;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalHookResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** HookService: decodes, calls, encodes. */
public final class HookGrpc implements HookServiceGrpc.AsyncService, BindableService {
  private final Hooks hooks;

  public HookGrpc(Hooks hooks) {
    this.hooks = hooks;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return HookServiceGrpc.bindService(this);
  }

  @Override
  public void createHook(CreateHookRequest request, StreamObserver<CreateHookResponse> caller) {
    Call.answer(caller, () -> create(request), Function.identity());
  }

  private CompletableFuture<CreateHookResponse> create(CreateHookRequest request) {
    var wish = CreateHookDecoding.read(request);
    return wish.isOfNobody()
        ? CompletableFuture.completedFuture(HookEncoding.unknownClaim(wish.command().workspace()))
        : hooks
            .create(wish.command())
            .thenApply(outcome -> HookEncoding.created(wish.command().hook(), outcome));
  }

  @Override
  public void signalHook(SignalHookRequest request, StreamObserver<SignalHookResponse> caller) {
    Call.answer(
        caller,
        () ->
            hooks.signal(
                new SignalHook(
                    hook(request.getWorkspace(), request.getToken()),
                    RunSignals.required(request.hasSignal(), request.getSignal()),
                    Optional.empty(),
                    Actor.caller(FieldReader.name("actor", request.getActor())))),
        HookEncoding::signalled);
  }

  @Override
  public void getHook(GetHookRequest request, StreamObserver<GetHookResponse> caller) {
    Call.answer(caller, () -> get(request), Function.identity());
  }

  private CompletableFuture<GetHookResponse> get(GetHookRequest request) {
    var id = hook(request.getWorkspace(), request.getToken());
    return hooks
        .find(id)
        .thenApply(
            found -> {
              var owned = found.orElseThrow(RunErrors::hookNotFound);
              return GetHookResponse.newBuilder()
                  .setHook(HookEncoding.hook(id, owned.hook(), owned.owner()))
                  .build();
            });
  }

  @Override
  public void disposeHook(DisposeHookRequest request, StreamObserver<DisposeHookResponse> caller) {
    Call.answer(caller, () -> dispose(request), Function.identity());
  }

  private CompletableFuture<DisposeHookResponse> dispose(DisposeHookRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var id = hook(request.getWorkspace(), request.getToken());
    var command =
        new DisposeHook(
            id,
            FieldReader.optionalName("run_id", request.getRunId())
                .map(sent -> RunIds.read(workspace, sent)),
            Actor.caller(FieldReader.name("actor", request.getActor())));
    return hooks.dispose(command).thenApply(outcome -> HookEncoding.disposed(id, outcome));
  }

  static HookId hook(String workspace, String token) {
    var tenant = FieldReader.workspace(workspace);
    return FieldReader.read("token", token, sent -> HookId.of(tenant, sent));
  }
}
