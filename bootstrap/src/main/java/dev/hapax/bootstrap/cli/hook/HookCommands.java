package dev.hapax.bootstrap.cli.hook;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax hook}. */
@Command(name = "hook", description = "Show, signal and release the run that owns a token.")
public final class HookCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var hook = new CommandLine(new HookCommands());
    root.addSubcommand(hook);
    hook.addSubcommand(new GetHookCommand(environment))
        .addSubcommand(new SignalHookCommand(environment))
        .addSubcommand(new DisposeHookCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: get, signal or dispose");
  }
}
