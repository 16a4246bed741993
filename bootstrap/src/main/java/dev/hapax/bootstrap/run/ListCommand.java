package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.Moment;
import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.Run;
import io.grpc.Channel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

/** {@code hapax run list}. */
@Command(name = "list", description = "Lists runs, the one started last first.")
final class ListCommand implements Callable<Integer> {
  private static final int LARGEST_PAGE = 500;

  /** What was found, and whether that is all. */
  private record Found(List<Run> runs, boolean complete) {}

  @Mixin private final ServerOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      description = "Only those that stand there: ${COMPLETION-CANDIDATES}.")
  private Optional<Status> status = Optional.empty();

  @Option(
      names = "--definition",
      paramLabel = "NAME",
      description = "Only those of this definition, in any version.")
  private String definition = "";

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Only those with this label; may be given again.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      converter = Moment.Converter.class,
      description = "Only those started since then: 2030-01-31T10:00:00Z, or 48h ago.")
  private Optional<Moment> since = Optional.empty();

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
      for (var run : found.runs()) {
        out.println(Shown.json(run));
      }
    } else if (found.runs().isEmpty()) {
      out.println("no runs");
    } else {
      new RunText(now).table(found.runs()).forEach(out::println);
    }
    if (!found.complete()) {
      spec.commandLine().getErr().println("hapax: there are more; --limit shows them");
    }
    return ExitCode.OK;
  }

  private Found find(Channel channel, Instant now) {
    var request =
        ListRunsRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setDefinition(definition)
            .putAllLabels(labels);
    status.ifPresent(wanted -> request.setStatus(wanted.wire()));
    since.ifPresent(time -> request.setCreatedAfter(Moment.wire(time.ago(now))));
    var found = new ArrayList<Run>();
    do {
      request.setPageSize(Math.min(LARGEST_PAGE, limit - found.size()));
      var page = RunCommand.runs(channel).listRuns(request.build());
      found.addAll(page.getRunsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && found.size() < limit);
    return new Found(found, request.getPageToken().isEmpty());
  }
}
