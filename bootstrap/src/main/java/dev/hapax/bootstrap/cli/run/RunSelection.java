package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.client.Hapax;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
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
      converter = StatusNames.class,
      completionCandidates = StatusNames.class,
      description =
          "With --all: only runs in this status; repeatable. Default: every status that allows the"
              + " change")
  private List<RunStatus> statuses = List.of();

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

  /** The names that can be typed. */
  static final class StatusNames implements ITypeConverter<RunStatus>, Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return EnumOption.names(RunStatus.getDescriptor()).iterator();
    }

    @Override
    public RunStatus convert(String text) {
      return RunStatus.valueOf(EnumOption.parse(RunStatus.getDescriptor(), text));
    }
  }

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
                    EnumOption.text(wanted),
                    verb.done(),
                    verb.from().stream()
                        .sorted()
                        .map(EnumOption::text)
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
  List<String> find(Hapax hapax, String workspace, ControlVerb verb) {
    if (!all) {
      return List.copyOf(new LinkedHashSet<>(ids));
    }
    var from = statuses.isEmpty() ? verb.from() : statuses;
    var request =
        ListRunsRequest.newBuilder()
            .setWorkspace(workspace)
            .addAllStatuses(from)
            .addAllDefinitions(definitions)
            .putAllLabels(labels)
            .setPageSize(PAGE);
    var found = new ArrayList<String>();
    do {
      var page = hapax.call(request.build(), ListRunsResponse.getDefaultInstance());
      page.getRunsList().stream().map(Run::getId).forEach(found::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return found;
  }
}
