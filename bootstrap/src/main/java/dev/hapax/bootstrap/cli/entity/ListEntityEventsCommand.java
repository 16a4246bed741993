package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.EventListing;
import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ListEntityEventsRequest;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code hapax entity events}. */
@Command(
    name = "events",
    description = "Print the history of an entity, oldest event first.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such entity"})
final class ListEntityEventsCommand implements Callable<Integer> {
  @Mixin private final EntityArgument one;
  @Mixin private final EventListing history = new EventListing();

  ListEntityEventsCommand(Map<String, String> environment) {
    one = new EntityArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    return one.server().call(this::print);
  }

  private int print(HapaxClient hapax) throws IOException {
    history.print(
        (after, size, token) -> page(hapax, after, size, token),
        one.server().json(),
        EntityEventText::line);
    return ExitCode.OK;
  }

  private Listing.Page<EntityEvent> page(HapaxClient hapax, long after, int size, String token) {
    var request =
        ListEntityEventsRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setLifecycle(one.lifecycle())
            .setEntityId(one.id())
            .setAfterVersion(after)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(EntityServiceGrpc.getListEntityEventsMethod(), request);
    return new Listing.Page<>(page.getEventsList(), page.getNextPageToken());
  }
}
