package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import io.grpc.Channel;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax run}. */
@Command(
    name = "run",
    description = "Starts runs on a server, follows and explains them, and steers them by hand.")
public final class RunCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
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

  static RunServiceBlockingStub runs(Channel channel) {
    return ServerOptions.soon(RunServiceGrpc.newBlockingStub(channel));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to do is missing: start, get, list, count, watch, await, explain, steps, events,"
            + " signal, cancel, pause, resume or retry");
  }
}
