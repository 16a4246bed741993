package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.RunServiceGrpc;
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
    description = "Print the history of a run, oldest event first.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class ListRunEventsCommand implements Callable<Integer> {
  private static final int PAGE = 500;

  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--after",
      paramLabel = "VERSION",
      description = "Only events after this version. Default: all events")
  private long after;

  ListRunEventsCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    return one.server().call(this::print);
  }

  /** Prints page by page, since a run may have 50,000 events. */
  private int print(HapaxClient hapax) throws IOException {
    var out = spec.commandLine().getOut();
    var request =
        ListRunEventsRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .setAfterVersion(after)
            .setPageSize(PAGE);
    do {
      var page = hapax.call(RunServiceGrpc.getListRunEventsMethod(), request.build());
      for (var event : page.getEventsList()) {
        out.println(one.server().json() ? ValueFormat.json(event) : RunEventText.line(event));
      }
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return ExitCode.OK;
  }
}
