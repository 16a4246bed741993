package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax run steps}. */
@Command(
    name = "steps",
    description = {
      "List the steps of a run, including steps that have not started.",
      "Indented rows are results that a code step recorded."
    },
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class ListStepsCommand implements Callable<Integer> {
  private static final int PAGE = 500;

  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  ListStepsCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var steps = one.server().call(this::find);
    var out = spec.commandLine().getOut();
    if (one.server().json()) {
      for (var step : steps) {
        out.println(ValueFormat.json(step));
      }
    } else {
      new RunText(Instant.now()).steps(steps).forEach(out::println);
    }
    return ExitCode.OK;
  }

  private List<Step> find(HapaxClient hapax) {
    var request =
        ListStepsRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .setPageSize(PAGE);
    var steps = new ArrayList<Step>();
    do {
      var page = hapax.call(RunServiceGrpc.getListStepsMethod(), request.build());
      steps.addAll(page.getStepsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return steps;
  }
}
