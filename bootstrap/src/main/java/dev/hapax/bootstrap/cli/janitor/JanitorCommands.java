package dev.hapax.bootstrap.cli.janitor;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax janitor}. */
@Command(
    name = "janitor",
    description = "Show, declare and run janitors, which recover entities with an expired lease.")
public final class JanitorCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var janitor = new CommandLine(new JanitorCommands());
    root.addSubcommand(janitor);
    janitor
        .addSubcommand(new ListJanitorsCommand(environment))
        .addSubcommand(new DeclareJanitorCommand(environment))
        .addSubcommand(new SweepJanitorCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: list, declare or sweep");
  }
}
