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
    description = "Lists what is held and can get stuck, and takes entities back by hand.")
public final class ClaimCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var claim = new CommandLine(new ClaimCommands());
    root.addSubcommand(claim);
    claim
        .addSubcommand(new ListClaimsCommand(environment))
        .addSubcommand(new ReleaseClaimCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what to do is missing: list or release");
  }
}
