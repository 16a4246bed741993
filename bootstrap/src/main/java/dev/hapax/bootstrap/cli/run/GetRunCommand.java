package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.RunServiceGrpc;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax run get}. */
@Command(
    name = "get",
    aliases = "show",
    description = "Show a run.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class GetRunCommand implements Callable<Integer> {
  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  GetRunCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        GetRunRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .build();
    var response =
        one.server().call(hapax -> hapax.call(RunServiceGrpc.getGetRunMethod(), request));
    one.show(response.getRun(), spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
