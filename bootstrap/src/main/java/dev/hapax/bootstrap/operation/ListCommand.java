package dev.hapax.bootstrap.operation;

import dev.hapax.bootstrap.remote.Moment;
import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import io.grpc.Channel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax operation list}. */
@Command(name = "list", description = "Lists operations, the one begun last first.")
final class ListCommand implements Callable<Integer> {
  private static final int LARGEST_PAGE = 500;

  /** What was found, and whether that is all. */
  private record Found(List<Operation> operations, boolean complete) {}

  @Mixin private final ServerOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "Only those in this state: ${COMPLETION-CANDIDATES}.")
  private Optional<State> state = Optional.empty();

  @Option(names = "--operation", paramLabel = "NAME", description = "Only those of this handler.")
  private String operation = "";

  @Option(
      names = "--older-than",
      paramLabel = "DURATION",
      converter = Moment.Length.class,
      description = "Only those begun longer ago than this, such as 5m or 48h.")
  private Optional<Duration> olderThan = Optional.empty();

  @Option(
      names = "--newer-than",
      paramLabel = "DURATION",
      converter = Moment.Length.class,
      description = "Only those begun since then.")
  private Optional<Duration> newerThan = Optional.empty();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many. Default: ${DEFAULT-VALUE}")
  private int limit;

  ListCommand(Map<String, String> environment) {
    server = new ServerOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be 1 or more");
    }
    var now = Instant.now();
    var found = server.call(channel -> find(channel, now));
    var out = spec.commandLine().getOut();
    if (server.json()) {
      for (var one : found.operations()) {
        out.println(Shown.json(one));
      }
    } else if (found.operations().isEmpty()) {
      out.println("no operations");
    } else {
      new OperationText(now).table(found.operations()).forEach(out::println);
    }
    if (!found.complete()) {
      spec.commandLine().getErr().println("hapax: there are more; --limit shows them");
    }
    return ExitCode.OK;
  }

  private Found find(Channel channel, Instant now) {
    var request =
        ListOperationsRequest.newBuilder().setWorkspace(server.workspace()).setOperation(operation);
    state.ifPresent(wanted -> request.setState(wanted.wire()));
    olderThan.ifPresent(ago -> request.setStartedBefore(Moment.wire(now.minus(ago))));
    newerThan.ifPresent(ago -> request.setStartedAfter(Moment.wire(now.minus(ago))));
    var found = new ArrayList<Operation>();
    do {
      request.setPageSize(Math.min(LARGEST_PAGE, limit - found.size()));
      var page = OperationCommand.operations(channel).listOperations(request.build());
      found.addAll(page.getOperationsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && found.size() < limit);
    return new Found(found, request.getPageToken().isEmpty());
  }
}
