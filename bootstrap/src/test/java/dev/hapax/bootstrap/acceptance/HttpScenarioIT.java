package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.RecordedCalls.Recorded;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The same work by gRPC and by HTTP, with every unary method. */
class HttpScenarioIT {
  /** Their answers change with time, and with the work of other tests. */
  private static final Set<String> NOT_COMPARED =
      Set.of(
          MonitoringServiceGrpc.getGetServerInfoMethod().getFullMethodName(),
          MonitoringServiceGrpc.getListServersMethod().getFullMethodName(),
          MonitoringServiceGrpc.getListWorkspacesMethod().getFullMethodName());

  /** The scenario has no intent, which SQL posts. */
  private static final String AWAIT_INTENT =
      IntentServiceGrpc.getAwaitIntentMethod().getFullMethodName();

  @Test
  @DisplayName(
      "given every unary method with success, by gRPC and by HTTP, then answers are the same")
  void same() {
    var deployment = SecuredDeployment.shared();
    try (var target = Caller.to(deployment.target());
        var second = Caller.to(deployment.target())) {
      var grpc = new RecordedCalls();
      var http = new RecordedCalls();
      play(target, grpc, ApiKeys.credentials(deployment.admin()));
      play(second, http, new HttpChannel(deployment.http()));

      var ids = new SameUpToIds().with(target.workspace(), second.workspace());
      assertThat(http.calls().stream().map(Recorded::method))
          .isEqualTo(grpc.calls().stream().map(Recorded::method).toList());
      for (var i = 0; i < grpc.calls().size(); i++) {
        var call = grpc.calls().get(i);
        if (!NOT_COMPARED.contains(call.method())) {
          ids.compare(i + " " + call.method(), call.answer(), http.calls().get(i).answer());
        }
      }
      assertThat(
              http.calls().stream()
                  .filter(call -> !call.hasFailed() || call.method().equals(AWAIT_INTENT))
                  .map(Recorded::method)
                  .collect(Collectors.toSet()))
          .as("a new method needs a call in ApiScenario")
          .containsExactlyInAnyOrderElementsOf(
              ApiMethods.all().stream()
                  .filter(method -> method.getType() == MethodType.UNARY)
                  .map(MethodDescriptor::getFullMethodName)
                  .toList());
    }
  }

  private static void play(Caller workspace, RecordedCalls record, ClientInterceptor transport) {
    try (var caller = workspace.through(transport, record)) {
      new ApiScenario(caller).play();
    }
  }
}
