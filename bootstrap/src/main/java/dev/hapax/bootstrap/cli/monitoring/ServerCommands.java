package dev.hapax.bootstrap.cli.monitoring;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax server}. */
@Command(name = "server", description = "Show information about a server.")
public final class ServerCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var server = new CommandLine(new ServerCommands());
    root.addSubcommand(server);
    server.addSubcommand(new GetServerInfoCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: info");
  }
}
