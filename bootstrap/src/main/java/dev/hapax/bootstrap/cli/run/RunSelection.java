package dev.hapax.bootstrap.cli.run;

import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.Run;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Which runs a change is made to: those that are named, or all that match. */
final class RunSelection {
  private static final int PAGE = 100;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ID", arity = "0..*", description = "The runs, such as run_01k….")
  private List<String> ids = List.of();

  @Option(
      names = "--all",
      description = "All runs that match, instead of named ones. Asks before it begins.")
  private boolean all;

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      converter = RunStatusOption.Converter.class,
      description =
          "With --all: only those in this status; may be given again. Default: every one it can be"
              + " done to")
  private List<RunStatusOption> statuses = List.of();

  @Option(
      names = "--definition",
      paramLabel = "NAME",
      description =
          "With --all: only those of this definition, in any version; may be given again.")
  private List<String> definitions = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "With --all: only those with this label; may be given again.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--yes", description = "With --all: do not ask. Scripts need it.")
  private boolean yes;

  /** Refuses what is ambiguous before anything is called. */
  void check(ControlVerb verb) {
    var filtered = !statuses.isEmpty() || !definitions.isEmpty() || !labels.isEmpty();
    if (ids.isEmpty() && !all) {
      throw refused(
          filtered
              ? "add --all to " + verb.command() + " every run that matches"
              : "name a run, or select some with --all and --status, --definition or --label");
    }
    if (!ids.isEmpty() && (all || filtered)) {
      throw refused("name runs, or select them with --all, not both");
    }
    for (var wanted : statuses) {
      if (!verb.from().contains(wanted)) {
        throw refused(
            "runs that are %s cannot be %s; %s can be"
                .formatted(wanted, verb.done(), verb.from().stream().sorted().toList()));
      }
    }
  }

  private ParameterException refused(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Whether it is a single run by its id. */
  boolean isOne() {
    return ids.size() == 1;
  }

  /** Whether what it means has to be confirmed. */
  boolean needsConfirmation() {
    return all && !yes;
  }

  /**
   * The runs as they are now, each once; the list stays as it is while they change. It is one list
   * of all statuses, so that it has a run that moves between them.
   */
  List<String> find(Channel channel, String workspace, ControlVerb verb) {
    if (!all) {
      return List.copyOf(new LinkedHashSet<>(ids));
    }
    var from = statuses.isEmpty() ? verb.from() : statuses;
    var request =
        ListRunsRequest.newBuilder()
            .setWorkspace(workspace)
            .addAllStatuses(from.stream().map(RunStatusOption::wire).toList())
            .addAllDefinitions(definitions)
            .putAllLabels(labels)
            .setPageSize(PAGE);
    var found = new ArrayList<String>();
    do {
      var page = RunCommands.runs(channel).listRuns(request.build());
      page.getRunsList().stream().map(Run::getId).forEach(found::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return found;
  }
}
