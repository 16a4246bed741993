package dev.hapax.grpc.security;

import static dev.hapax.domain.security.Permission.CALL;
import static dev.hapax.domain.security.Permission.DEFINE;
import static dev.hapax.domain.security.Permission.OBSERVE;
import static dev.hapax.domain.security.Permission.OPERATE;
import static dev.hapax.domain.security.Permission.SIGNAL_HOOK;
import static dev.hapax.domain.security.Permission.WORK;
import static dev.hapax.grpc.security.MethodRule.anywhere;
import static dev.hapax.grpc.security.MethodRule.holding;
import static dev.hapax.grpc.security.MethodRule.holdingTasks;
import static dev.hapax.grpc.security.MethodRule.in;
import static dev.hapax.grpc.security.MethodRule.on;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import dev.hapax.domain.security.Target;
import dev.hapax.v1.ApplyLifecycleRequest;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailOperationRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListWorkersRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
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
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What each method requires of its caller. A method that is not here may not be called. */
final class MethodRules {
  private static final List<Target> ANYTHING = List.of(new Target.Anything());
  private static final List<Target> HELD_TASK = List.of(new Target.HeldTask());

  private final Map<String, MethodRule<?>> byMethod;
  private final Map<Descriptor, MethodRule<?>> byRequest;

  private MethodRules(Builder rules) {
    this.byMethod = Map.copyOf(rules.byMethod);
    this.byRequest = Map.copyOf(rules.byRequest);
  }

  static MethodRules all() {
    var rules = new Builder();
    observe(rules);
    call(rules);
    work(rules);
    operate(rules);
    define(rules);
    rules.put(IdentityServiceGrpc.getWhoAmIMethod(), MethodRule.open());
    rules.put(ServerReflectionGrpc.getServerReflectionInfoMethod(), anywhere(OBSERVE));
    return new MethodRules(rules);
  }

  /** The rule of a method; empty = deny. */
  @SuppressWarnings("unchecked") // put() pairs each method with a rule for its requests
  <Q> Optional<MethodRule<Q>> of(MethodDescriptor<Q, ?> method) {
    return Optional.ofNullable((MethodRule<Q>) byMethod.get(method.getFullMethodName()));
  }

  /** The rule of the method with this request, which a stream carries. */
  @SuppressWarnings("unchecked") // as above
  Optional<MethodRule<Message>> of(Message request) {
    return Optional.ofNullable((MethodRule<Message>) byRequest.get(request.getDescriptorForType()));
  }

  private static void observe(Builder rules) {
    rules
        .put(
            OperationServiceGrpc.getGetOperationMethod(),
            in(OBSERVE, GetOperationRequest::getWorkspace))
        .put(
            OperationServiceGrpc.getListOperationsMethod(),
            in(OBSERVE, ListOperationsRequest::getWorkspace))
        .put(RunServiceGrpc.getGetRunMethod(), in(OBSERVE, GetRunRequest::getWorkspace))
        .put(
            RunServiceGrpc.getListRunEventsMethod(),
            in(OBSERVE, ListRunEventsRequest::getWorkspace))
        .put(RunServiceGrpc.getListStepsMethod(), in(OBSERVE, ListStepsRequest::getWorkspace))
        .put(RunServiceGrpc.getExplainRunMethod(), in(OBSERVE, ExplainRunRequest::getWorkspace))
        .put(RunServiceGrpc.getAwaitRunMethod(), in(OBSERVE, AwaitRunRequest::getWorkspace))
        .put(RunServiceGrpc.getWatchRunMethod(), in(OBSERVE, WatchRunRequest::getWorkspace))
        .put(HookServiceGrpc.getGetHookMethod(), in(OBSERVE, GetHookRequest::getWorkspace))
        .put(
            DefinitionServiceGrpc.getListDefinitionsMethod(),
            in(OBSERVE, ListDefinitionsRequest::getWorkspace))
        .put(
            LifecycleServiceGrpc.getValidateLifecycleMethod(),
            in(OBSERVE, ValidateLifecycleRequest::getWorkspace))
        .put(
            LifecycleServiceGrpc.getGetLifecycleMethod(),
            in(OBSERVE, GetLifecycleRequest::getWorkspace))
        .put(
            LifecycleServiceGrpc.getListLifecyclesMethod(),
            in(OBSERVE, ListLifecyclesRequest::getWorkspace))
        .put(EntityServiceGrpc.getGetEntityMethod(), in(OBSERVE, GetEntityRequest::getWorkspace))
        .put(
            EntityServiceGrpc.getListEntitiesMethod(),
            in(OBSERVE, ListEntitiesRequest::getWorkspace))
        .put(
            EntityServiceGrpc.getListEntityEventsMethod(),
            in(OBSERVE, ListEntityEventsRequest::getWorkspace))
        .put(EntityServiceGrpc.getListClaimsMethod(), in(OBSERVE, ListClaimsRequest::getWorkspace))
        .put(
            JanitorServiceGrpc.getListJanitorsMethod(),
            in(OBSERVE, ListJanitorsRequest::getWorkspace))
        .put(
            MonitoringServiceGrpc.getListQueuesMethod(),
            in(OBSERVE, ListQueuesRequest::getWorkspace))
        .put(
            MonitoringServiceGrpc.getListWorkersMethod(),
            in(OBSERVE, ListWorkersRequest::getWorkspace))
        .put(
            RunServiceGrpc.getListRunsMethod(),
            on(
                OBSERVE,
                ListRunsRequest::getWorkspace,
                request -> definitions(request.getDefinitionsList())))
        .put(
            MonitoringServiceGrpc.getCountRunsMethod(),
            on(
                OBSERVE,
                CountRunsRequest::getWorkspace,
                request ->
                    definitions(
                        request.getDefinition().isEmpty()
                            ? List.of()
                            : List.of(request.getDefinition()))))
        .put(
            DefinitionServiceGrpc.getGetDefinitionMethod(),
            on(
                OBSERVE,
                GetDefinitionRequest::getWorkspace,
                request -> definitions(List.of(request.getName()))))
        .put(MonitoringServiceGrpc.getGetServerInfoMethod(), anywhere(OBSERVE));
  }

  private static void call(Builder rules) {
    rules
        .put(
            OperationServiceGrpc.getBeginOperationMethod(),
            in(CALL, BeginOperationRequest::getWorkspace))
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

  private static void work(Builder rules) {
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

  private static void operate(Builder rules) {
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

  private static void define(Builder rules) {
    rules
        .put(
            LifecycleServiceGrpc.getApplyLifecycleMethod(),
            in(DEFINE, ApplyLifecycleRequest::getWorkspace))
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
    return on(
        WORK,
        request -> request.getOpen().getWorkspace(),
        request -> request.hasOpen() ? queues(request.getOpen().getQueuesList()) : List.of());
  }

  private static List<Target> queues(List<String> names) {
    return names.isEmpty() ? ANYTHING : names.stream().<Target>map(Target.Queue::new).toList();
  }

  private static List<Target> definitions(List<String> names) {
    return names.isEmpty() ? ANYTHING : names.stream().<Target>map(Target.Definition::new).toList();
  }

  private static final class Builder {
    private final Map<String, MethodRule<?>> byMethod = new HashMap<>();
    private final Map<Descriptor, MethodRule<?>> byRequest = new HashMap<>();

    <Q> Builder put(MethodDescriptor<Q, ?> method, MethodRule<Q> rule) {
      byMethod.put(method.getFullMethodName(), rule);
      byRequest.put(requestType(method), rule);
      return this;
    }

    private static Descriptor requestType(MethodDescriptor<?, ?> method) {
      var marshaller = (PrototypeMarshaller<?>) method.getRequestMarshaller();
      return ((Message) Objects.requireNonNull(marshaller.getMessagePrototype()))
          .getDescriptorForType();
    }
  }
}
