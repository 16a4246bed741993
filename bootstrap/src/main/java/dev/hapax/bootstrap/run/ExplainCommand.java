package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.ExplainRunRequest;
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
    description = "Says why a run is where it is.",
    exitCodeList = {"0:fine", "1:failed", "2:wrong usage", "3:there is no such run"})
final class ExplainCommand implements Callable<Integer> {
  @Mixin private final OneRun one;
  @Spec private CommandSpec spec = CommandSpec.create();

  ExplainCommand(Map<String, String> environment) {
    one = new OneRun(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        ExplainRunRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .build();
    var response = one.server().call(channel -> RunCommand.runs(channel).explainRun(request));
    var out = spec.commandLine().getOut();
    if (one.server().json()) {
      out.println(Shown.json(response));
    } else {
      response.getSentencesList().forEach(out::println);
    }
    return ExitCode.OK;
  }
}
