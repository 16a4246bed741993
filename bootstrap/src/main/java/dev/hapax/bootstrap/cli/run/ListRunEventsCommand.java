package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.EventListing;
import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code hapax run events}. */
@Command(
    name = "events",
    description = "Print the history of a run, oldest event first.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class ListRunEventsCommand implements Callable<Integer> {
  @Mixin private final RunArgument one;
  @Mixin private final EventListing history = new EventListing();

  ListRunEventsCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    return one.server().call(this::print);
  }

  private int print(HapaxClient hapax) throws IOException {
    history.print(
        (after, size, token) -> page(hapax, after, size, token),
        one.server().json(),
        RunEventText::line);
    return ExitCode.OK;
  }

  private Listing.Page<RunEvent> page(HapaxClient hapax, long after, int size, String token) {
    var request =
        ListRunEventsRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .setAfterVersion(after)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(RunServiceGrpc.getListRunEventsMethod(), request);
    return new Listing.Page<>(page.getEventsList(), page.getNextPageToken());
  }
}
