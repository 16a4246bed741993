package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ListEntitiesRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hapax entity list}. */
@Command(name = "list", description = "List entities, ordered by lifecycle and ID.")
final class ListEntitiesCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  @Option(
      names = "--lifecycle",
      paramLabel = "NAME",
      description = "Only entities that follow this lifecycle.")
  private String lifecycle = "";

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      description = "Only entities in this status; repeatable.")
  private List<String> statuses = List.of();

  ListEntitiesCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no entities", new EntityText(Instant.now())::table);
    return ExitCode.OK;
  }

  private Listing.Page<Entity> page(HapaxClient hapax, int size, String token) {
    var request =
        ListEntitiesRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .setLifecycle(lifecycle)
            .addAllStatuses(statuses)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(EntityServiceGrpc.getListEntitiesMethod(), request);
    return new Listing.Page<>(page.getEntitiesList(), page.getNextPageToken());
  }
}
