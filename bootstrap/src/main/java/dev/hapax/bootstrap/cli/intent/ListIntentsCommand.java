package dev.hapax.bootstrap.cli.intent;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.IntentState;
import dev.hapax.v1.ListIntentsRequest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hapax intent list}. */
@Command(name = "list", description = "List intents that no server has taken, the oldest first.")
final class ListIntentsCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  @Option(
      names = "--failed",
      description = "List those that ended with an error in the last 7 days, the newest first.")
  private boolean failed;

  ListIntentsCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    listing.print(this::page, "no intents", new IntentText(Instant.now())::table);
    return ExitCode.OK;
  }

  private Listing.Page<Intent> page(HapaxClient hapax, int size, String token) {
    var request =
        ListIntentsRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .setState(failed ? IntentState.INTENT_STATE_FAILED : IntentState.INTENT_STATE_POSTED)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    var page = hapax.call(IntentServiceGrpc.getListIntentsMethod(), request);
    return new Listing.Page<>(page.getIntentsList(), page.getNextPageToken());
  }
}
