package dev.hapax.bootstrap.cli.definition;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.Definition;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.ListDefinitionsRequest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hapax definition list}. */
@Command(
    name = "list",
    description = "List versions of definitions, the most recently registered first.")
final class ListDefinitionsCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  @Option(names = "--name", paramLabel = "NAME", description = "Only versions of this definition.")
  private String name = "";

  ListDefinitionsCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no definitions", new DefinitionText(Instant.now())::table);
    return ExitCode.OK;
  }

  private Listing.Page<Definition> page(HapaxClient hapax, int size, String token) {
    var request =
        ListDefinitionsRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .setName(name)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(DefinitionServiceGrpc.getListDefinitionsMethod(), request);
    return new Listing.Page<>(page.getDefinitionsList(), page.getNextPageToken());
  }
}
