package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.ListRunEventsRequest;
import io.grpc.Channel;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax run events}. */
@Command(
    name = "events",
    description = "Prints the history of a run, oldest first.",
    exitCodeList = {"0:fine", "1:failed", "2:wrong usage", "3:there is no such run"})
final class ListRunEventsCommand implements Callable<Integer> {
  private static final int PAGE = 500;

  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--after",
      paramLabel = "VERSION",
      description = "Only what came after this version. Default: from the beginning")
  private long after;

  ListRunEventsCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    return one.server().call(this::print);
  }

  /** Page by page: there may be 50,000. */
  private int print(Channel channel) throws IOException {
    var out = spec.commandLine().getOut();
    var request =
        ListRunEventsRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .setAfterVersion(after)
            .setPageSize(PAGE);
    do {
      var page = RunCommands.runs(channel).listRunEvents(request.build());
      for (var event : page.getEventsList()) {
        out.println(one.server().json() ? ValueFormat.json(event) : RunEventText.line(event));
      }
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return ExitCode.OK;
  }
}
