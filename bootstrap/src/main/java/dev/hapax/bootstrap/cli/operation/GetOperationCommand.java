package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax operation get}. */
@Command(
    name = "get",
    aliases = "show",
    description = "Show an operation.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such operation"})
final class GetOperationCommand implements Callable<Integer> {
  @Mixin private final KeyOptions key = new KeyOptions();
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  GetOperationCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var wanted = key.key();
    var request =
        GetOperationRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setOperation(wanted.getOperation())
            .setRequestId(wanted.getRequestId())
            .setAccount(wanted.getAccount())
            .setAccountChanging(wanted.getAccountChanging())
            .build();
    var operation =
        server
            .call(hapax -> hapax.call(OperationServiceGrpc.getGetOperationMethod(), request))
            .getOperation();
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(operation));
    } else {
      new OperationText(Instant.now()).details(operation).forEach(out::println);
    }
    return ExitCode.OK;
  }
}
