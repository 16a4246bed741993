package dev.hapax.bootstrap.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import dev.hapax.v1.DeclareJanitorRequest;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.RunView;
import io.grpc.MethodDescriptor;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

class RpcCommandTest {
  private final StringWriter err = new StringWriter();

  private <Q extends Message, R extends Message> Q request(
      RpcCommand command, MethodDescriptor<Q, R> method, String... arguments) {
    var filled = new AtomicReference<Q>();
    var subcommand =
        command
            .calls(method)
            .prints(
                call -> {
                  filled.set(call.request());
                  return ExitCode.OK;
                });
    var commandLine = (CommandLine) subcommand.in(Map.of());
    commandLine.setErr(new PrintWriter(err, true)).execute(arguments);
    return filled.get();
  }

  private static RpcCommand list() {
    return RpcCommand.of("list")
        .option("--status", "statuses", "STATUS", "")
        .option("--label", "labels", "NAME=VALUE", "")
        .since("--since", "created_after", "")
        .flag("--full", "view", RunView.RUN_VIEW_FULL, "");
  }

  @Test
  @DisplayName("given options, then they fill the fields as the types of the fields require")
  void fills() {
    var request =
        request(
            list(),
            RunServiceGrpc.getListRunsMethod(),
            "--workspace=w",
            "--status=failed",
            "--status=RUN_STATUS_PAUSED",
            "--label=a=1",
            "--label=b=2",
            "--since=2030-01-31T10:00:00Z",
            "--full");

    assertThat(request)
        .isEqualTo(
            ListRunsRequest.newBuilder()
                .setWorkspace("w")
                .addStatuses(RunStatus.RUN_STATUS_FAILED)
                .addStatuses(RunStatus.RUN_STATUS_PAUSED)
                .putLabels("a", "1")
                .putLabels("b", "2")
                .setCreatedAfter(request.getCreatedAfter())
                .setView(RunView.RUN_VIEW_FULL)
                .build());
    assertThat(request.getCreatedAfter().getSeconds()).isEqualTo(1_896_084_000);
  }

  @Test
  @DisplayName("given no options, then the request has only the workspace")
  void leavesUnset() {
    assertThat(request(list(), RunServiceGrpc.getListRunsMethod(), "--workspace=w"))
        .isEqualTo(ListRunsRequest.newBuilder().setWorkspace("w").build());
  }

  @Test
  @DisplayName("given a path of fields, then the options fill a message inside the request")
  void fillsNested() {
    var declare =
        RpcCommand.of("declare")
            .argument("contract.module", "MODULE", "")
            .flag("--all-claim-states", "contract.all_claim_states", "")
            .option("--every", "contract.every", "DURATION", "")
            .option("--mode", "contract.mode", "MODE", "");
    DeclareJanitorRequest request =
        request(
            declare,
            JanitorServiceGrpc.getDeclareJanitorMethod(),
            "billing",
            "--all-claim-states",
            "--every=90s",
            "--mode=remote");

    var contract = request.getContract();
    assertThat(contract.getModule()).isEqualTo("billing");
    assertThat(contract.getAllClaimStates()).isTrue();
    assertThat(contract.getEvery().getSeconds()).isEqualTo(90);
    assertThat(contract.getMode()).isEqualTo(JanitorMode.JANITOR_MODE_REMOTE);
    assertThat(request.getActor()).isEqualTo(ConnectionOptions.actor());
  }

  @Test
  @DisplayName("given a value that the enum does not have, then the error lists those it has")
  void refusesValues() {
    assertThat(request(list(), RunServiceGrpc.getListRunsMethod(), "--status=unspecified"))
        .isNull();
    assertThat(err.toString())
        .contains("'unspecified' is not one of PENDING, RUNNING, WAITING, PAUSED, COMPLETED");
  }

  @Test
  @DisplayName("given a field that the request does not have, then the command cannot be built")
  void refusesFields() {
    var command = RpcCommand.of("list").option("--colour", "NAME", "");
    var method = RunServiceGrpc.getListRunsMethod();

    assertThatThrownBy(() -> request(command, method))
        .hasMessage("hapax.v1.ListRunsRequest has no field colour");
  }
}
