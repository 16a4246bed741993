package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.QueueState;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code hapax queue list}. */
@Command(
    name = "list",
    description =
        "List queues with their ready and held tasks, and the polls waiting on this server.")
final class ListQueuesCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  ListQueuesCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no queues", new BacklogText(Instant.now())::queues);
    return ExitCode.OK;
  }

  private Listing.Page<QueueState> page(HapaxClient hapax, int size, String token) {
    var page =
        hapax.call(
            MonitoringServiceGrpc.getListQueuesMethod(),
            ListQueuesRequest.newBuilder()
                .setWorkspace(listing.server().workspace())
                .setPageSize(size)
                .setPageToken(token)
                .build());
    return new Listing.Page<>(page.getQueuesList(), page.getNextPageToken());
  }
}
