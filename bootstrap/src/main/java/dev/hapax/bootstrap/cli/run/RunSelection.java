package dev.hapax.bootstrap.cli.run;

import dev.hapax.client.HapaxClient;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The runs to change: given by ID, or all that match the filters. */
final class RunSelection {
  private static final int PAGE = 100;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ID", arity = "0..*", description = "IDs of the runs, such as run_01k….")
  private List<String> ids = List.of();

  @Option(
      names = "--all",
      description = "Select all runs that match the filters. Asks for confirmation.")
  private boolean all;

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      converter = RunStatusOption.Converter.class,
      description =
          "With --all: only runs in this status; repeatable. Default: every status that allows the"
              + " change")
  private List<RunStatusOption> statuses = List.of();

  @Option(
      names = "--definition",
      paramLabel = "NAME",
      description = "With --all: only runs of this definition, in any version; repeatable.")
  private List<String> definitions = List.of();

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "With --all: only runs with this label; repeatable.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--yes",
      description = "With --all: do not ask for confirmation. Required in scripts.")
  private boolean yes;

  /** Rejects ambiguous options before any call. */
  void check(ControlVerb verb) {
    var filtered = !statuses.isEmpty() || !definitions.isEmpty() || !labels.isEmpty();
    if (ids.isEmpty() && !all) {
      throw rejected(
          filtered
              ? "add --all to " + verb.command() + " every run that matches"
              : "missing run ID: give IDs, or --all with --status, --definition or --label");
    }
    if (!ids.isEmpty() && (all || filtered)) {
      throw rejected("run IDs cannot be combined with --all and its filters");
    }
    for (var wanted : statuses) {
      if (!verb.from().contains(wanted)) {
        throw rejected(
            "runs in status %s cannot be %s (only those in %s)"
                .formatted(
                    wanted,
                    verb.done(),
                    verb.from().stream()
                        .sorted()
                        .map(RunStatusOption::name)
                        .collect(Collectors.joining(", "))));
      }
    }
  }

  private ParameterException rejected(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Returns whether the selection is a single run by ID. */
  boolean isOne() {
    return ids.size() == 1;
  }

  /** Returns whether the user must confirm the selection. */
  boolean needsConfirmation() {
    return all && !yes;
  }

  /**
   * Returns the selected runs, each once. A single query lists all statuses, so that it does not
   * miss a run that moves between them.
   */
  List<String> find(HapaxClient hapax, String workspace, ControlVerb verb) {
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
      var page = hapax.call(RunServiceGrpc.getListRunsMethod(), request.build());
      page.getRunsList().stream().map(Run::getId).forEach(found::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return found;
  }
}
