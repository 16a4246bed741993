package dev.hapax.bootstrap.cli.operation;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax operation}. */
@Command(name = "operation", description = "Show and resolve operations (idempotency keys).")
public final class OperationCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var operation = new CommandLine(new OperationCommands());
    root.addSubcommand(operation);
    operation
        .addSubcommand(new ListOperationsCommand(environment))
        .addSubcommand(new GetOperationCommand(environment))
        .addSubcommand(new ResolveOperationCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "missing subcommand: list, get or resolve");
  }
}
