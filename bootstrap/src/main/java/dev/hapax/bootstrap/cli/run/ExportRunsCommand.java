package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.Terminal;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.Hapax;
import dev.hapax.client.HapaxException;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax run export}. */
@Command(
    name = "export",
    description = {
      "Print the current task of runs as a worker would get it, one JSON object per line.",
      "Changes nothing and holds nothing. The output contains the payloads of the runs. A client"
          + " library can check new code against it."
    },
    exitCodeList = {"0:success", "1:failure of at least one run", "2:invalid usage"})
final class ExportRunsCommand implements Callable<Integer> {
  private static final int PAGE = 100;
  private static final Duration QUIET = Duration.ofSeconds(2);

  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ID", arity = "0..*", description = "IDs of the runs, such as run_01k….")
  private List<String> ids = List.of();

  @Option(
      names = "--definition",
      paramLabel = "NAME",
      description = "Runs of this definition, the most recently started first.")
  private Optional<String> definition = Optional.empty();

  @Option(
      names = "--definition-version",
      paramLabel = "VERSION",
      description = "With --definition: only runs of this version. Default: any version")
  private String version = "";

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      split = ",",
      converter = RunSelection.StatusNames.class,
      completionCandidates = RunSelection.StatusNames.class,
      description =
          "With --definition: only runs in this status; repeatable. Default: RUNNING, WAITING and"
              + " PAUSED")
  private List<RunStatus> statuses = List.of();

  @Option(
      names = "--limit",
      paramLabel = "COUNT",
      description = "With --definition: maximum number of runs. Default: ${DEFAULT-VALUE}")
  private int limit = PAGE;

  ExportRunsCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    if (ids.isEmpty() != definition.isPresent()) {
      throw rejected("give IDs of runs, or --definition");
    }
    if (definition.isEmpty() && (!version.isEmpty() || !statuses.isEmpty())) {
      throw rejected("--definition-version and --status need --definition");
    }
    if (limit < 1) {
      throw rejected("--limit must be at least 1");
    }
    return server.call(this::export);
  }

  private ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private int export(Hapax hapax) throws IOException {
    var selected = definition.map(name -> find(hapax, name)).orElse(ids);
    var all = List.copyOf(new LinkedHashSet<>(selected));
    var terminal = Terminal.ofProcess(spec.commandLine().getErr());
    var out = spec.commandLine().getOut();
    var err = spec.commandLine().getErr();
    var failed = false;
    var shown = Instant.now();
    for (var i = 0; i < all.size(); i++) {
      var id = all.get(i);
      try {
        var task = RunExport.task(hapax, server.workspace(), id);
        if (task.isPresent()) {
          out.println(ValueFormat.json(task.get()));
        } else {
          err.println("hapax: " + id + ": no worker executes its current step");
          failed |= definition.isEmpty();
        }
      } catch (HapaxException.Refused e) {
        if (e.error().getCode() != Status.Code.NOT_FOUND.value()) {
          throw e;
        }
        err.println("hapax: " + id + ": " + e.error().getMessage());
        failed = true;
      }
      if (Duration.between(shown, Instant.now()).compareTo(QUIET) > 0) {
        terminal.progress(i + 1, all.size());
        shown = Instant.now();
      }
    }
    out.flush();
    if (all.isEmpty()) {
      err.println("hapax: no runs");
    }
    return failed ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private List<String> find(Hapax hapax, String name) {
    var request =
        ListRunsRequest.newBuilder()
            .setWorkspace(server.workspace())
            .addDefinitions(name)
            .addAllStatuses(statuses.isEmpty() ? RunExport.STATUSES : statuses)
            .setPageSize(PAGE);
    var found = new ArrayList<String>();
    do {
      var page = hapax.call(request.build(), ListRunsResponse.getDefaultInstance());
      page.getRunsList().stream()
          .filter(run -> version.isEmpty() || run.getDefinitionVersion().equals(version))
          .map(Run::getId)
          .forEach(found::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && found.size() < limit);
    return found.subList(0, Math.min(limit, found.size()));
  }
}
