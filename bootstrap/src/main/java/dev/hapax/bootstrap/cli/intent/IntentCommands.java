package dev.hapax.bootstrap.cli.intent;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax intent}. */
@Command(
    name = "intent",
    description = "List and await what applications posted in their database transactions.")
public final class IntentCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var intent = new CommandLine(new IntentCommands());
    root.addSubcommand(intent);
    intent
        .addSubcommand(new ListIntentsCommand(environment))
        .addSubcommand(new AwaitIntentCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: list or await");
  }
}
