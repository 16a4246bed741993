package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.EndFilter;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.SignalMessage;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.CountRunsResponse;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunView;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax run}. */
public final class RunCommands {
  private static final String NO_SUCH_RUN = "no such run";

  private RunCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("run", "Start, watch, explain and control runs.")
        .addTo(
            root,
            environment,
            StartRunCommand::new,
            get(),
            list(),
            count(),
            WatchRunCommand::new,
            AwaitRunCommand::new,
            explain(),
            steps(),
            events(),
            signal(),
            control(ControlVerb.CANCEL),
            control(ControlVerb.PAUSE),
            control(ControlVerb.RESUME),
            control(ControlVerb.RETRY),
            SettleRunCommand::new,
            ExportRunsCommand::new);
  }

  private static RpcCommand run(RpcCommand command) {
    return command.argument("run_id", "ID", "ID of the run, such as run_01k….").absent(NO_SUCH_RUN);
  }

  private static RpcCommand filter(RpcCommand command) {
    return command
        .option(
            "--status",
            "statuses",
            "STATUS",
            "Only runs in this status: ${COMPLETION-CANDIDATES}; repeatable.")
        .option(
            "--definition",
            "definitions",
            "NAME",
            "Only runs of this definition, in any version; repeatable.");
  }

  private static Subcommand get() {
    return RpcCommand.of("get", "Show a run.")
        .with(RunCommands::run)
        .calls(RunServiceGrpc.getGetRunMethod())
        .shows(GetRunResponse::getRun, RunText::details);
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List runs, the most recently started first.")
        .with(RunCommands::filter)
        .option("--label", "labels", "NAME=VALUE", "Only runs with this label; repeatable.")
        .since(
            "--since",
            "created_after",
            "Only runs started since a time (2030-01-31T10:00:00Z) or an age (48h).")
        .with(EndFilter::addTo)
        .flag(
            "--full",
            "view",
            RunView.RUN_VIEW_FULL,
            "With --json: include input, state and output.")
        .calls(RunServiceGrpc.getListRunsMethod())
        .lists(ListRunsResponse::getRunsList, RunText.COLUMNS, "no runs");
  }

  private static Subcommand count() {
    return RpcCommand.of(
            "count",
            "Count runs by status and definition.",
            "Counts the newest 10,000 runs of each status, and COMPLETED runs among the newest"
                + " 10,000 of all; a + means that there may be more.")
        .with(RunCommands::filter)
        .calls(MonitoringServiceGrpc.getCountRunsMethod())
        .listsAll(CountRunsResponse::getCountsList, RunText.COUNTS, "no runs");
  }

  private static Subcommand explain() {
    return RpcCommand.of("explain", "Explain the current state of a run.")
        .with(RunCommands::run)
        .calls(RunServiceGrpc.getExplainRunMethod())
        .shows(response -> response, (response, _) -> response.getSentencesList());
  }

  private static Subcommand steps() {
    return RpcCommand.of(
            "steps",
            "List the steps of a run, including steps that have not started.",
            "Indented rows are parts of a code step; --json shows the stacks of failures.")
        .with(RunCommands::run)
        .calls(RunServiceGrpc.getListStepsMethod())
        .listsAll(ListStepsResponse::getStepsList, RunText.STEPS, "no steps");
  }

  private static Subcommand events() {
    return RpcCommand.of("events", "Print the history of a run, oldest event first.")
        .with(RunCommands::run)
        .option(
            "--after",
            "after_version",
            "VERSION",
            "Only events after this version. Default: all events")
        .calls(RunServiceGrpc.getListRunEventsMethod())
        .streams(ListRunEventsResponse::getEventsList, RunEventText::line);
  }

  private static Subcommand signal() {
    return RpcCommand.of("signal", "Send a signal to a run.")
        .with(RunCommands::run)
        .with(SignalMessage::addTo)
        .calls(RunServiceGrpc.getSignalRunMethod())
        .says(sent -> SignalMessage.text(sent.getDisposition(), sent.getRunId()));
  }

  private static Subcommand control(ControlVerb verb) {
    return environment -> new ControlRunsCommand(environment, verb).commandLine();
  }
}
