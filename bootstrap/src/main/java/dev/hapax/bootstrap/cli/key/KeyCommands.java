package dev.hapax.bootstrap.cli.key;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax key}. */
@Command(
    name = "key",
    description = {
      "Create, list, rotate and revoke API keys.",
      "Works on the database itself, with the settings of `hapax serve`; needs no running server."
    })
public final class KeyCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var key = new CommandLine(new KeyCommands());
    root.addSubcommand(key);
    key.addSubcommand(new CreateKeyCommand(environment))
        .addSubcommand(new ListKeysCommand(environment))
        .addSubcommand(new RotateKeyCommand(environment))
        .addSubcommand(new RevokeKeyCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing subcommand: create, list, rotate or revoke");
  }
}
