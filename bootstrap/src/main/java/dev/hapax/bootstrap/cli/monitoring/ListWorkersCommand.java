package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListWorkersRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.WorkerState;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code hapax worker list}. */
@Command(
    name = "list",
    description = "List workers with their tasks and the time of their last poll on this server.")
final class ListWorkersCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  ListWorkersCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no workers", new BacklogText(Instant.now())::workers);
    return ExitCode.OK;
  }

  private Listing.Page<WorkerState> page(HapaxClient hapax, int size, String token) {
    var page =
        hapax.call(
            MonitoringServiceGrpc.getListWorkersMethod(),
            ListWorkersRequest.newBuilder()
                .setWorkspace(listing.server().workspace())
                .setPageSize(size)
                .setPageToken(token)
                .build());
    return new Listing.Page<>(page.getWorkersList(), page.getNextPageToken());
  }
}
