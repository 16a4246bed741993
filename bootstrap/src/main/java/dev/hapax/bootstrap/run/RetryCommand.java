package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.v1.RetryRunRequest;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax run retry}. */
@Command(
    name = "retry",
    description = "Lets a failed run go on with the step that failed, and shows it.",
    exitCodeList = {"0:fine", "1:failed", "2:wrong usage", "3:there is no such run"})
final class RetryCommand implements Callable<Integer> {
  @Mixin private final OneRun one;
  @Mixin private final SteerOptions options = new SteerOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "Repeats an earlier retry whose answer was lost. Default: a new one")
  private Optional<String> requestId = Optional.empty();

  RetryCommand(Map<String, String> environment) {
    one = new OneRun(environment);
  }

  @Override
  public Integer call() throws Exception {
    var id = requestId.orElseGet(() -> UUID.randomUUID().toString());
    var request =
        RetryRunRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .setReason(options.reason())
            .setExpectedVersion(options.expectedVersion())
            .setActor(ServerOptions.actor())
            .setRequestId(id)
            .build();
    var response =
        one.server()
            .callOnce("--request-id " + id, channel -> RunCommand.runs(channel).retryRun(request));
    one.show(response.getRun(), spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
