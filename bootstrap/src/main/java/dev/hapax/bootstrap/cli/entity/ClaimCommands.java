package dev.hapax.bootstrap.cli.entity;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax claim}. */
@Command(
    name = "claim",
    description = "List held entities, operations and runs, and release claims.")
public final class ClaimCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var claim = new CommandLine(new ClaimCommands());
    root.addSubcommand(claim);
    claim
        .addSubcommand(new ListClaimsCommand(environment))
        .addSubcommand(new ReleaseClaimCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: list or release");
  }
}
