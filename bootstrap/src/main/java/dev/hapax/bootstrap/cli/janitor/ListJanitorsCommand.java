package dev.hapax.bootstrap.cli.janitor;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.ListJanitorsRequest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** {@code hapax janitor list}. */
@Command(name = "list", description = "List janitors with their contract, last sweep and delay.")
final class ListJanitorsCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  ListJanitorsCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no janitors", new JanitorText(Instant.now())::table);
    return ExitCode.OK;
  }

  private Listing.Page<Janitor> page(HapaxClient hapax, int size, String token) {
    var request =
        ListJanitorsRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(JanitorServiceGrpc.getListJanitorsMethod(), request);
    return new Listing.Page<>(page.getJanitorsList(), page.getNextPageToken());
  }
}
