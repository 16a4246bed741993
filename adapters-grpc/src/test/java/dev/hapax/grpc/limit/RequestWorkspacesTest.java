package dev.hapax.grpc.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.OperationStreamRequest;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunsRequest;
import dev.hapax.v1.WorkRequest;
import io.grpc.health.v1.HealthCheckRequest;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RequestWorkspacesTest {
  private final RequestWorkspaces workspaces = new RequestWorkspaces();

  @Test
  @DisplayName("given a unary request, then it is one call, and one of many starts is as many")
  void unary() {
    assertThat(workspaces.calls(BeginOperationRequest.newBuilder().setWorkspace("eu").build()))
        .isEqualTo(Map.of("eu", 1));
    assertThat(workspaces.calls(BeginOperationRequest.getDefaultInstance()))
        .isEqualTo(Map.of("default", 1));
    assertThat(workspaces.calls(HeartbeatTasksRequest.getDefaultInstance()))
        .isEqualTo(Map.of("default", 1));
    assertThat(
            workspaces.calls(
                StartRunsRequest.newBuilder()
                    .setWorkspace("eu")
                    .addRequests(StartRunRequest.getDefaultInstance())
                    .addRequests(StartRunRequest.newBuilder().setWorkspace("eu"))
                    .build()))
        .isEqualTo(Map.of("eu", 2));
  }

  @Test
  @DisplayName("given a message on a stream, then its calls count for their workspaces")
  void streamed() {
    var operations = OperationStreamRequest.newBuilder();
    operations.addCallsBuilder().setBeginOperation(BeginOperationRequest.getDefaultInstance());
    operations
        .addCallsBuilder()
        .setCompleteOperation(CompleteOperationRequest.newBuilder().setWorkspace("eu"));
    operations
        .addCallsBuilder()
        .setCompleteOperation(CompleteOperationRequest.newBuilder().setWorkspace("eu"));
    operations.addCallsBuilder().setCallId(7);
    assertThat(workspaces.calls(operations.build())).isEqualTo(Map.of("default", 1, "eu", 2));
    var starts = StartRunStreamRequest.newBuilder();
    starts.addCallsBuilder().setStartRun(StartRunRequest.newBuilder().setWorkspace("us"));
    assertThat(workspaces.calls(starts.build())).isEqualTo(Map.of("us", 1));
    assertThat(workspaces.calls(WorkRequest.newBuilder().setClock(1).build())).isEmpty();
  }

  @Test
  @DisplayName("given no workspace, or a name that none can have, then nothing is counted")
  void none() {
    assertThat(workspaces.calls(HealthCheckRequest.getDefaultInstance())).isEmpty();
    assertThat(
            workspaces.calls(
                BeginOperationRequest.newBuilder().setWorkspace("A".repeat(1_000)).build()))
        .isEmpty();
  }
}
