package dev.hapax.bootstrap.operation;

import com.google.protobuf.Timestamp;
import dev.hapax.bootstrap.config.Settings;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code hapax operation list}. */
@Command(name = "list", description = "Lists operations, the one begun last first.")
final class ListCommand implements Callable<Integer> {
  private static final int LARGEST_PAGE = 500;

  /** What may end and what may not is told by the server; how long is typed as in settings. */
  static final class Ago implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Settings.duration(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

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
      converter = Ago.class,
      description = "Only those begun longer ago than this, such as 5m or 48h.")
  private Optional<Duration> olderThan = Optional.empty();

  @Option(
      names = "--newer-than",
      paramLabel = "DURATION",
      converter = Ago.class,
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
    var found = server.call(operations -> find(operations, now));
    var out = spec.commandLine().getOut();
    if (server.json()) {
      for (var one : found.operations()) {
        out.println(OperationText.json(one));
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

  private Found find(OperationServiceBlockingStub operations, Instant now) {
    var request =
        ListOperationsRequest.newBuilder().setWorkspace(server.workspace()).setOperation(operation);
    state.ifPresent(wanted -> request.setState(wanted.wire()));
    olderThan.ifPresent(ago -> request.setStartedBefore(timestamp(now.minus(ago))));
    newerThan.ifPresent(ago -> request.setStartedAfter(timestamp(now.minus(ago))));
    var found = new ArrayList<Operation>();
    do {
      request.setPageSize(Math.min(LARGEST_PAGE, limit - found.size()));
      var page = ServerOptions.soon(operations).listOperations(request.build());
      found.addAll(page.getOperationsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && found.size() < limit);
    return new Found(found, request.getPageToken().isEmpty());
  }

  private static Timestamp timestamp(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
