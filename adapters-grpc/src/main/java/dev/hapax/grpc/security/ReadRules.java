package dev.hapax.grpc.security;

import static dev.hapax.domain.security.Permission.OBSERVE;
import static dev.hapax.grpc.security.MethodRule.anywhere;
import static dev.hapax.grpc.security.MethodRule.in;
import static dev.hapax.grpc.security.MethodRule.on;
import static dev.hapax.grpc.security.MethodRule.openOutside;
import static dev.hapax.grpc.security.NamedTargets.definitions;

import dev.hapax.grpc.security.MethodRules.RuleSet;
import dev.hapax.v1.AwaitIntentRequest;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListDefinitionsRequest;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListEntityEventsRequest;
import dev.hapax.v1.ListIntentsRequest;
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
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.WatchRunRequest;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.util.List;

/** The rules of methods that read. */
final class ReadRules {
  private ReadRules() {}

  static void addTo(RuleSet rules) {
    observe(rules);
    rules.put(IdentityServiceGrpc.getWhoAmIMethod(), MethodRule.open());
    var health = healthOfJanitors();
    rules.put(HealthGrpc.getCheckMethod(), health);
    rules.put(HealthGrpc.getWatchMethod(), health);
    rules.put(ServerReflectionGrpc.getServerReflectionInfoMethod(), anywhere(OBSERVE));
  }

  /** Probes have no credentials; the health of a janitor tells which workspaces there are. */
  private static MethodRule<HealthCheckRequest> healthOfJanitors() {
    return openOutside(OBSERVE, request -> JanitorHealthName.workspace(request.getService()));
  }

  private static void observe(RuleSet rules) {
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
        .put(
            IntentServiceGrpc.getAwaitIntentMethod(), in(OBSERVE, AwaitIntentRequest::getWorkspace))
        .put(
            IntentServiceGrpc.getListIntentsMethod(), in(OBSERVE, ListIntentsRequest::getWorkspace))
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
                request -> definitions(request.getDefinitionsList())))
        .put(
            DefinitionServiceGrpc.getGetDefinitionMethod(),
            on(
                OBSERVE,
                GetDefinitionRequest::getWorkspace,
                request -> definitions(List.of(request.getName()))))
        .put(MonitoringServiceGrpc.getGetServerInfoMethod(), anywhere(OBSERVE));
  }
}
