package dev.hapax.grpc.hook;

import dev.hapax.application.hook.Hooks;
import dev.hapax.domain.hook.CreateHookOutcome;
import dev.hapax.domain.hook.DisposeHook;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.SignalHook;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.run.PermittedTasks;
import dev.hapax.grpc.run.RunIds;
import dev.hapax.grpc.run.RunSignals;
import dev.hapax.grpc.run.TaskClaims;
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

/** HookService: decodes, calls, encodes. */
public final class HookGrpc implements HookServiceGrpc.AsyncService, BindableService {
  private final Hooks hooks;
  private final PermittedTasks permitted;
  private final RandomValues random;

  public HookGrpc(Hooks hooks, PermittedTasks permitted, RandomValues random) {
    this.hooks = hooks;
    this.permitted = permitted;
    this.random = random;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return HookServiceGrpc.bindService(this);
  }

  @Override
  public void createHook(CreateHookRequest request, StreamObserver<CreateHookResponse> caller) {
    Unary.respond(
        caller, () -> CreateHookDecoding.read(request), this::create, HookEncoding::created);
  }

  private CompletableFuture<CreateHookOutcome> create(CreateHookDecoding request) {
    var command = request.command();
    return request.hasForeignClaim()
        ? CompletableFuture.completedFuture(
            new CreateHookOutcome.Lost(TaskClaims.lost(command.workspace())))
        : command
            .claim()
            .map(claim -> permitted.call(claim, () -> hooks.create(command)))
            .orElseGet(() -> hooks.create(command));
  }

  @Override
  public void signalHook(SignalHookRequest request, StreamObserver<SignalHookResponse> caller) {
    Unary.respond(caller, () -> hooks.signal(signal(request)), HookEncoding::signalled);
  }

  private SignalHook signal(SignalHookRequest request) {
    return new SignalHook(
        hook(request.getWorkspace(), request.getToken()),
        RunSignals.read(request.getSignal(), random),
        Optional.empty(),
        CallerReader.actor(request.getActor()));
  }

  @Override
  public void getHook(GetHookRequest request, StreamObserver<GetHookResponse> caller) {
    Unary.respond(
        caller,
        () -> hook(request.getWorkspace(), request.getToken()),
        hooks::find,
        HookEncoding::found);
  }

  @Override
  public void disposeHook(DisposeHookRequest request, StreamObserver<DisposeHookResponse> caller) {
    Unary.respond(caller, () -> disposal(request), hooks::dispose, HookEncoding::disposed);
  }

  private static DisposeHook disposal(DisposeHookRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    return new DisposeHook(
        hook(request.getWorkspace(), request.getToken()),
        FieldReader.optional(request.getRunId()).map(sent -> RunIds.read(workspace, sent)),
        request.getReason(),
        CallerReader.actor(request.getActor()));
  }

  static HookId hook(String workspace, String token) {
    return HookId.of(FieldReader.workspace(workspace), token);
  }
}
