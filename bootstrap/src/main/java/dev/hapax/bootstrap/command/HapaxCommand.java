package dev.hapax.bootstrap.command;

import dev.hapax.bootstrap.bench.BenchCommand;
import dev.hapax.bootstrap.definition.DefinitionCommand;
import dev.hapax.bootstrap.entity.ClaimCommand;
import dev.hapax.bootstrap.entity.EntityCommand;
import dev.hapax.bootstrap.hook.HookCommand;
import dev.hapax.bootstrap.janitor.JanitorCommand;
import dev.hapax.bootstrap.lifecycle.LifecycleCommand;
import dev.hapax.bootstrap.operation.OperationCommand;
import dev.hapax.bootstrap.run.RunCommand;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code hapax}: the root of all commands. */
@Command(
    name = "hapax",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    scope = ScopeType.INHERIT,
    description = "Makes sure a thing happens once: a gRPC service on PostgreSQL.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true,
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:fine", "1:failed", "2:wrong usage or configuration"})
public final class HapaxCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Log more, and show where an error came from.")
  void verbose(boolean on) {
    if (on) {
      Logging.verbose();
    }
  }

  /** The whole command line, ready to be executed. */
  public static CommandLine commandLine(Map<String, String> environment) {
    Logging.install();
    var commandLine =
        new CommandLine(new HapaxCommand())
            .addSubcommand(new DemoCommand())
            .addSubcommand(new ServeCommand(environment));
    RunCommand.addTo(commandLine, environment);
    HookCommand.addTo(commandLine, environment);
    DefinitionCommand.addTo(commandLine, environment);
    OperationCommand.addTo(commandLine, environment);
    EntityCommand.addTo(commandLine, environment);
    ClaimCommand.addTo(commandLine, environment);
    LifecycleCommand.addTo(commandLine, environment);
    JanitorCommand.addTo(commandLine, environment);
    commandLine
        .addSubcommand(new BenchCommand())
        .addSubcommand(new DoctorCommand(environment))
        .addSubcommand(new MigrateCommand(environment))
        .addSubcommand(new CompletionCommand())
        .addSubcommand(new HelpCommand());
    commandLine.getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(spec -> spec.userObject() instanceof ServerSettings.User)
        .forEach(ServerSettings::addTo);
    commandLine
        .getCommandSpec()
        .usageMessage()
        .footer(
            "",
            "Start with `hapax demo`: it shows what this is for. Then `hapax serve`.",
            "Both bring their own PostgreSQL and need nothing else.",
            "`hapax COMMAND --help` tells more about a command.");
    return commandLine
        // a file after @ is an input here, not a list of arguments
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Failures::wrongUsage)
        .setExecutionExceptionHandler(Failures::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
