package dev.hapax.grpc.security;

import static dev.hapax.domain.security.Permission.CALL;
import static dev.hapax.domain.security.Permission.DEFINE;
import static dev.hapax.domain.security.Permission.OPERATE;
import static dev.hapax.domain.security.Permission.SIGNAL_HOOK;
import static dev.hapax.domain.security.Permission.WORK;
import static dev.hapax.grpc.security.MethodRule.anywhere;
import static dev.hapax.grpc.security.MethodRule.holding;
import static dev.hapax.grpc.security.MethodRule.holdingTasks;
import static dev.hapax.grpc.security.MethodRule.in;
import static dev.hapax.grpc.security.MethodRule.on;
import static dev.hapax.grpc.security.NamedTargets.ANYTHING;
import static dev.hapax.grpc.security.NamedTargets.definitions;
import static dev.hapax.grpc.security.NamedTargets.queues;

import dev.hapax.domain.security.Target;
import dev.hapax.grpc.security.MethodRules.RuleSet;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.NudgeIntentsRequest;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.ReleaseClaimRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.ResolveOperationRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkerServiceGrpc;
import java.util.List;

/** The rules of methods that change something, and of the streams that carry them. */
final class ChangeRules {
  private static final List<Target> HELD_TASK = List.of(new Target.HeldTask());

  private ChangeRules() {}

  static void addTo(RuleSet rules) {
    call(rules);
    work(rules);
    operate(rules);
    define(rules);
  }

  private static void call(RuleSet rules) {
    rules
        .put(
            OperationServiceGrpc.getBeginOperationMethod(),
            in(CALL, BeginOperationRequest::getWorkspace))
        .put(IntentServiceGrpc.getNudgeIntentsMethod(), in(CALL, NudgeIntentsRequest::getWorkspace))
        .put(RunServiceGrpc.getSignalRunMethod(), in(CALL, SignalRunRequest::getWorkspace))
        .put(HookServiceGrpc.getDisposeHookMethod(), in(CALL, DisposeHookRequest::getWorkspace))
        .put(EntityServiceGrpc.getCreateEntityMethod(), in(CALL, CreateEntityRequest::getWorkspace))
        .put(EntityServiceGrpc.getBeginActionMethod(), in(CALL, BeginActionRequest::getWorkspace))
        .put(
            OperationServiceGrpc.getCompleteOperationMethod(),
            holding(
                CALL,
                CompleteOperationRequest::getWorkspace,
                request -> List.of(request.getClaim())))
        .put(
            OperationServiceGrpc.getFailOperationMethod(),
            holding(
                CALL, FailOperationRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            OperationServiceGrpc.getRenewOperationMethod(),
            holding(
                CALL, RenewOperationRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            EntityServiceGrpc.getRenewActionMethod(),
            holding(CALL, RenewActionRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            EntityServiceGrpc.getCompleteActionMethod(),
            holding(
                CALL, CompleteActionRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            EntityServiceGrpc.getFailActionMethod(),
            holding(CALL, FailActionRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(HookServiceGrpc.getCreateHookMethod(), creatingHook())
        .put(
            RunServiceGrpc.getStartRunMethod(),
            on(
                CALL,
                StartRunRequest::getWorkspace,
                request -> definitions(List.of(request.getDefinition()))))
        .put(
            RunServiceGrpc.getStartRunsMethod(),
            on(
                CALL,
                StartRunsRequest::getWorkspace,
                request ->
                    definitions(
                        request.getRequestsList().stream()
                            .map(StartRunRequest::getDefinition)
                            .toList())))
        .put(OperationServiceGrpc.getOperationStreamMethod(), anywhere(CALL))
        .put(RunServiceGrpc.getStartRunStreamMethod(), anywhere(CALL))
        .put(
            HookServiceGrpc.getSignalHookMethod(),
            in(SIGNAL_HOOK, SignalHookRequest::getWorkspace));
  }

  private static void work(RuleSet rules) {
    rules
        .put(
            WorkerServiceGrpc.getPollTasksMethod(),
            on(WORK, PollTasksRequest::getWorkspace, request -> queues(request.getQueuesList())))
        .put(
            WorkerServiceGrpc.getCompleteTaskMethod(),
            holdingTasks(CompleteTaskRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            WorkerServiceGrpc.getFailTaskMethod(),
            holdingTasks(FailTaskRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            WorkerServiceGrpc.getSuspendTaskMethod(),
            holdingTasks(SuspendTaskRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            WorkerServiceGrpc.getRecordStepMethod(),
            holdingTasks(RecordStepRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            WorkerServiceGrpc.getReleaseTaskMethod(),
            holdingTasks(ReleaseTaskRequest::getWorkspace, request -> List.of(request.getClaim())))
        .put(
            WorkerServiceGrpc.getHeartbeatTasksMethod(),
            holdingTasks(HeartbeatTasksRequest::getWorkspace, HeartbeatTasksRequest::getClaimsList))
        .put(WorkerServiceGrpc.getWorkMethod(), working())
        .put(
            JanitorServiceGrpc.getPollRecoveriesMethod(),
            in(WORK, PollRecoveriesRequest::getWorkspace))
        .put(
            JanitorServiceGrpc.getCompleteRecoveryMethod(),
            holding(
                WORK,
                CompleteRecoveryRequest::getWorkspace,
                request -> List.of(request.getClaim())));
  }

  private static void operate(RuleSet rules) {
    rules
        .put(
            OperationServiceGrpc.getResolveOperationMethod(),
            in(OPERATE, ResolveOperationRequest::getWorkspace))
        .put(RunServiceGrpc.getCancelRunMethod(), in(OPERATE, CancelRunRequest::getWorkspace))
        .put(RunServiceGrpc.getPauseRunMethod(), in(OPERATE, PauseRunRequest::getWorkspace))
        .put(RunServiceGrpc.getResumeRunMethod(), in(OPERATE, ResumeRunRequest::getWorkspace))
        .put(RunServiceGrpc.getRetryRunMethod(), in(OPERATE, RetryRunRequest::getWorkspace))
        .put(
            EntityServiceGrpc.getReleaseClaimMethod(),
            in(OPERATE, ReleaseClaimRequest::getWorkspace))
        .put(
            EntityServiceGrpc.getDeleteEntityMethod(),
            in(OPERATE, DeleteEntityRequest::getWorkspace))
        .put(JanitorServiceGrpc.getSweepMethod(), in(OPERATE, SweepRequest::getWorkspace));
  }

  private static void define(RuleSet rules) {
    rules
        .put(
            LifecycleServiceGrpc.getApplyLifecyclesMethod(),
            in(DEFINE, ApplyLifecyclesRequest::getWorkspace))
        .put(
            JanitorServiceGrpc.getDeclareJanitorMethod(),
            in(DEFINE, DeclareJanitorRequest::getWorkspace))
        .put(
            DefinitionServiceGrpc.getRegisterDefinitionMethod(),
            on(
                DEFINE,
                RegisterDefinitionRequest::getWorkspace,
                request -> definitions(List.of(request.getName()))));
  }

  private static MethodRule<CreateHookRequest> creatingHook() {
    MethodRule<CreateHookRequest> holder =
        holding(
            CALL,
            CreateHookRequest::getWorkspace,
            request -> request.hasClaim() ? List.of(request.getClaim()) : List.of());
    return holder.targeting(request -> request.hasClaim() ? HELD_TASK : ANYTHING);
  }

  /** The first message names the queues; each call on the stream is checked by itself. */
  private static MethodRule<WorkRequest> working() {
    MethodRule<WorkRequest> opening =
        on(
            WORK,
            request -> request.getOpen().getWorkspace(),
            request -> queues(request.getOpen().getQueuesList()));
    return opening.when(WorkRequest::hasOpen);
  }
}
