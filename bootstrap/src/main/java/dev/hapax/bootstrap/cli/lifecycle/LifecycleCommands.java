package dev.hapax.bootstrap.cli.lifecycle;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax lifecycle}. */
@Command(name = "lifecycle", description = "Validate, draw, apply and show lifecycles of entities.")
public final class LifecycleCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var lifecycle = new CommandLine(new LifecycleCommands());
    root.addSubcommand(lifecycle);
    lifecycle
        .addSubcommand(new ValidateLifecyclesCommand())
        .addSubcommand(new GraphLifecycleCommand(environment))
        .addSubcommand(new ApplyLifecyclesCommand(environment))
        .addSubcommand(new ListLifecyclesCommand(environment))
        .addSubcommand(new GetLifecycleCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing subcommand: validate, graph, apply, list or get");
  }
}
