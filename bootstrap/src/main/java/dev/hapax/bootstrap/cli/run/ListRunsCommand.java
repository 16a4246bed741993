package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.EndFilter;
import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hapax run list}. */
@Command(name = "list", description = "List runs, the most recently started first.")
final class ListRunsCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      converter = RunStatusOption.Converter.class,
      description = "Only runs in this status: ${COMPLETION-CANDIDATES}; repeatable.")
  private List<RunStatusOption> statuses = List.of();

  @Option(
      names = "--definition",
      paramLabel = "NAME",
      description = "Only runs of this definition, in any version; repeatable.")
  private List<String> definitions = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Only runs with this label; repeatable.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      converter = TimeOption.Converter.class,
      description = "Only runs started since a time (2030-01-31T10:00:00Z) or an age (48h).")
  private Optional<TimeOption> since = Optional.empty();

  @Mixin private final EndFilter end = new EndFilter();

  @Option(names = "--full", description = "With --json: include input, state and output.")
  private boolean full;

  ListRunsCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    var now = Instant.now();
    listing.print(
        (hapax, size, token) -> page(hapax, size, token, now), "no runs", new RunText(now)::table);
    return ExitCode.OK;
  }

  private Listing.Page<Run> page(HapaxClient hapax, int size, String token, Instant now) {
    var request =
        ListRunsRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .addAllStatuses(statuses.stream().map(RunStatusOption::wire).toList())
            .addAllDefinitions(definitions)
            .putAllLabels(labels)
            .setFailureCode(end.failureCode())
            .setView(full ? RunView.RUN_VIEW_FULL : RunView.RUN_VIEW_BASIC)
            .setPageSize(size)
            .setPageToken(token);
    since.ifPresent(time -> request.setCreatedAfter(TimeOption.wire(time.ago(now))));
    end.since(now).ifPresent(request::setEndedAfter);
    end.before(now).ifPresent(request::setEndedBefore);
    var page = hapax.call(RunServiceGrpc.getListRunsMethod(), request.build());
    return new Listing.Page<>(page.getRunsList(), page.getNextPageToken());
  }
}
