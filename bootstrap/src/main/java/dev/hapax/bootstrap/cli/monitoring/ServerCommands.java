package dev.hapax.bootstrap.cli.monitoring;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax server}. */
@Command(name = "server", description = "Shows what a server is and accepts.")
public final class ServerCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var server = new CommandLine(new ServerCommands());
    root.addSubcommand(server);
    server.addSubcommand(new GetServerInfoCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what to do is missing: info");
  }
}
