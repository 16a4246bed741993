package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.EndFilter;
import dev.hapax.bootstrap.cli.call.Listing;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationView;
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

/** {@code hapax operation list}. */
@Command(name = "list", description = "List operations, the most recently started first.")
final class ListOperationsCommand implements Callable<Integer> {
  @Mixin private final Listing listing;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      converter = OperationStateOption.Converter.class,
      description = "Only operations in this state: ${COMPLETION-CANDIDATES}; repeatable.")
  private List<OperationStateOption> states = List.of();

  @Option(
      names = "--operation",
      paramLabel = "NAME",
      description = "Only operations with this name; repeatable.")
  private List<String> operations = List.of();

  @Option(
      names = "--older-than",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "Only operations older than this, such as 5m or 48h.")
  private Optional<Duration> olderThan = Optional.empty();

  @Option(
      names = "--newer-than",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "Only operations newer than this.")
  private Optional<Duration> newerThan = Optional.empty();

  @Mixin private final EndFilter end = new EndFilter();

  @Option(names = "--full", description = "With --json: include the result.")
  private boolean full;

  ListOperationsCommand(Map<String, String> environment) {
    listing = new Listing(environment);
  }

  @Override
  public Integer call() throws Exception {
    var now = Instant.now();
    listing.print(
        (hapax, size, token) -> page(hapax, size, token, now),
        "no operations",
        new OperationText(now)::table);
    return ExitCode.OK;
  }

  private Listing.Page<Operation> page(HapaxClient hapax, int size, String token, Instant now) {
    var request =
        ListOperationsRequest.newBuilder()
            .setWorkspace(listing.server().workspace())
            .addAllStates(states.stream().map(OperationStateOption::wire).toList())
            .addAllOperations(operations)
            .setFailureCode(end.failureCode())
            .setView(full ? OperationView.OPERATION_VIEW_FULL : OperationView.OPERATION_VIEW_BASIC)
            .setPageSize(size)
            .setPageToken(token);
    olderThan.ifPresent(ago -> request.setStartedBefore(TimeOption.wire(now.minus(ago))));
    newerThan.ifPresent(ago -> request.setStartedAfter(TimeOption.wire(now.minus(ago))));
    end.since(now).ifPresent(request::setEndedAfter);
    end.before(now).ifPresent(request::setEndedBefore);
    var page = hapax.call(OperationServiceGrpc.getListOperationsMethod(), request.build());
    return new Listing.Page<>(page.getOperationsList(), page.getNextPageToken());
  }
}
