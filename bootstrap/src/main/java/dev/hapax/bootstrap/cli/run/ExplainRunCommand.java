package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.RunServiceGrpc;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax run explain}. */
@Command(
    name = "explain",
    description = "Explain the current state of a run.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class ExplainRunCommand implements Callable<Integer> {
  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  ExplainRunCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        ExplainRunRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .build();
    var response =
        one.server().call(hapax -> hapax.call(RunServiceGrpc.getExplainRunMethod(), request));
    var out = spec.commandLine().getOut();
    if (one.server().json()) {
      out.println(ValueFormat.json(response));
    } else {
      response.getSentencesList().forEach(out::println);
    }
    return ExitCode.OK;
  }
}
