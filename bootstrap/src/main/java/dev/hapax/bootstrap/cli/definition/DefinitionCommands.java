package dev.hapax.bootstrap.cli.definition;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax definition}. */
@Command(name = "definition", description = "Register and show definitions of runs.")
public final class DefinitionCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var definition = new CommandLine(new DefinitionCommands());
    root.addSubcommand(definition);
    definition
        .addSubcommand(new ApplyDefinitionsCommand(environment))
        .addSubcommand(new ListDefinitionsCommand(environment))
        .addSubcommand(new GetDefinitionCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: apply, list or get");
  }
}
