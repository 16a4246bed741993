package dev.hapax.bootstrap.cli.run;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax run}. */
@Command(name = "run", description = "Start, watch, explain and control runs.")
public final class RunCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var run = new CommandLine(new RunCommands());
    root.addSubcommand(run);
    run.addSubcommand(new StartRunCommand(environment))
        .addSubcommand(new GetRunCommand(environment))
        .addSubcommand(new ListRunsCommand(environment))
        .addSubcommand(new CountRunsCommand(environment))
        .addSubcommand(new WatchRunCommand(environment))
        .addSubcommand(new AwaitRunCommand(environment))
        .addSubcommand(new ExplainRunCommand(environment))
        .addSubcommand(new ListStepsCommand(environment))
        .addSubcommand(new ListRunEventsCommand(environment))
        .addSubcommand(new SignalRunCommand(environment));
    for (var verb : ControlVerb.values()) {
      run.addSubcommand(new ControlRunsCommand(environment, verb).commandLine());
    }
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "missing subcommand: start, get, list, count, watch, await, explain, steps, events,"
            + " signal, cancel, pause, resume or retry");
  }
}
