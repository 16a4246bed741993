package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListLifecyclesRequest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code hapax lifecycle list}. */
@Command(name = "list", description = "List lifecycles.")
final class ListLifecyclesCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  ListLifecyclesCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no lifecycles", new LifecycleText(Instant.now())::table);
    return ExitCode.OK;
  }

  private Listing.Page<Lifecycle> page(HapaxClient hapax, int size, String token) {
    var request =
        ListLifecyclesRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(LifecycleServiceGrpc.getListLifecyclesMethod(), request);
    return new Listing.Page<>(page.getLifecyclesList(), page.getNextPageToken());
  }
}
