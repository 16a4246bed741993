package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.ListClaimsRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hapax claim list}. */
@Command(
    name = "list",
    description = {
      "List claimed entities, held operations, and runs that wait for an operator, with the"
          + " component that frees each one.",
    })
final class ListClaimsCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      converter = ClaimKindOption.Converter.class,
      description = "Only this kind: ${COMPLETION-CANDIDATES}; repeatable.")
  private List<ClaimKindOption> kinds = List.of();

  @Option(
      names = "--lifecycle",
      paramLabel = "NAME",
      description = "Only entities that follow this lifecycle.")
  private String lifecycle = "";

  @Option(
      names = "--older-than",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "Only claims older than this, such as 5m or 48h.")
  private Optional<Duration> olderThan = Optional.empty();

  ListClaimsCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    var now = Instant.now();
    listing.print(
        (hapax, size, token) -> page(hapax, size, token, now),
        "no claims",
        new ClaimTable(now)::table);
    return ExitCode.OK;
  }

  private Listing.Page<HeldClaim> page(HapaxClient hapax, int size, String token, Instant now) {
    var request =
        ListClaimsRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .addAllKinds(kinds.stream().map(ClaimKindOption::wire).toList())
            .setLifecycle(lifecycle)
            .setPageSize(size)
            .setPageToken(token);
    olderThan.ifPresent(age -> request.setSinceBefore(TimeOption.wire(now.minus(age))));
    var page = hapax.call(EntityServiceGrpc.getListClaimsMethod(), request.build());
    return new Listing.Page<>(page.getClaimsList(), page.getNextPageToken());
  }
}
