package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.cell.CellCommands;
import dev.hapax.bootstrap.cli.definition.DefinitionCommands;
import dev.hapax.bootstrap.cli.document.DocumentsCommand;
import dev.hapax.bootstrap.cli.entity.EntityCommands;
import dev.hapax.bootstrap.cli.hook.HookCommands;
import dev.hapax.bootstrap.cli.intent.IntentCommands;
import dev.hapax.bootstrap.cli.janitor.JanitorCommands;
import dev.hapax.bootstrap.cli.key.KeyCommands;
import dev.hapax.bootstrap.cli.lifecycle.LifecycleCommands;
import dev.hapax.bootstrap.cli.limit.LimitCommands;
import dev.hapax.bootstrap.cli.monitoring.MonitoringCommands;
import dev.hapax.bootstrap.cli.operation.OperationCommands;
import dev.hapax.bootstrap.cli.run.RunCommands;
import dev.hapax.bootstrap.cli.security.SecurityCommands;
import dev.hapax.bootstrap.cli.sql.SqlCommands;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code hapax}, the root command. */
@Command(
    name = "hapax",
    mixinStandardHelpOptions = true,
    versionProvider = VersionProvider.class,
    scope = ScopeType.INHERIT,
    description = "Idempotency keys, durable runs and leases: a gRPC service on PostgreSQL.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    usageHelpAutoWidth = true,
    commandListHeading = "%nCommands:%n",
    parameterListHeading = "%nArguments:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage or configuration"})
public final class HapaxCommand implements Runnable {
  private static final Set<String> NEEDS_ALL_GROUPS = Set.of("help", "completion", "documents");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Log at debug level and print stack traces.")
  void verbose(boolean on) {
    if (on) {
      Logging.verbose();
    }
  }

  private interface Group {
    void addTo(CommandLine root, Map<String, String> environment);
  }

  /** Returns the groups in the order of the help. */
  private static Map<String, Group> groups() {
    var groups = new LinkedHashMap<String, Group>();
    groups.put("demo", (root, _) -> root.addSubcommand(new DemoCommand()));
    groups.put("serve", (root, environment) -> root.addSubcommand(new ServeCommand(environment)));
    groups.put("run", RunCommands::addTo);
    groups.put("hook", HookCommands::addTo);
    groups.put("intent", IntentCommands::addTo);
    groups.put("definition", DefinitionCommands::addTo);
    groups.put("server", MonitoringCommands::addServerTo);
    groups.put("workspace", MonitoringCommands::addWorkspacesTo);
    groups.put("problem", MonitoringCommands::addProblemsTo);
    groups.put("queue", MonitoringCommands::addQueuesTo);
    groups.put("worker", MonitoringCommands::addWorkersTo);
    groups.put("limit", LimitCommands::addTo);
    groups.put("operation", OperationCommands::addTo);
    groups.put("entity", EntityCommands::addTo);
    groups.put("claim", EntityCommands::addClaimsTo);
    groups.put("lifecycle", LifecycleCommands::addTo);
    groups.put("janitor", JanitorCommands::addTo);
    groups.put("key", KeyCommands::addTo);
    groups.put("whoami", SecurityCommands::addTo);
    groups.put("sql", SqlCommands::addTo);
    groups.put("cell", CellCommands::addTo);
    groups.put("doctor", (root, environment) -> root.addSubcommand(new DoctorCommand(environment)));
    groups.put("runbook", (root, _) -> root.addSubcommand(new RunbookCommand()));
    groups.put(
        "migrate", (root, environment) -> root.addSubcommand(new MigrateCommand(environment)));
    groups.put("ready", (root, environment) -> root.addSubcommand(new ReadyCommand(environment)));
    groups.put("backup", (root, environment) -> root.addSubcommand(new BackupCommand(environment)));
    groups.put(
        "restore", (root, environment) -> root.addSubcommand(new RestoreCommand(environment)));
    groups.put("completion", (root, _) -> root.addSubcommand(new CompletionCommand()));
    groups.put("documents", (root, _) -> root.addSubcommand(new DocumentsCommand()));
    groups.put("help", (root, _) -> root.addSubcommand(new HelpCommand()));
    groups.put("train", (root, _) -> root.addSubcommand(new TrainCommand()));
    groups.put("train-server", (root, _) -> root.addSubcommand(new TrainServerCommand()));
    return groups;
  }

  /** Builds the whole command line. */
  public static CommandLine commandLine(Map<String, String> environment) {
    return commandLine(environment, groups());
  }

  /**
   * Builds the part of the command line for these arguments, which starts faster. Help and
   * completion need all of it.
   */
  public static CommandLine commandLine(Map<String, String> environment, String... arguments) {
    var groups = groups();
    if (arguments.length > 0
        && groups.containsKey(arguments[0])
        && !NEEDS_ALL_GROUPS.contains(arguments[0])) {
      groups.keySet().retainAll(Set.of(arguments[0]));
    }
    return commandLine(environment, groups);
  }

  private static Stream<CommandLine> withSubcommands(CommandLine command) {
    return Stream.concat(Stream.of(command), command.getSubcommands().values().stream());
  }

  private static CommandLine commandLine(
      Map<String, String> environment, Map<String, Group> groups) {
    Logging.install();
    var commandLine = new CommandLine(new HapaxCommand());
    groups.values().forEach(group -> group.addTo(commandLine, environment));
    commandLine.getSubcommands().values().stream()
        .flatMap(HapaxCommand::withSubcommands)
        .map(CommandLine::getCommandSpec)
        .filter(spec -> spec.userObject() instanceof ServerSettingOptions.User)
        .forEach(ServerSettingOptions::addTo);
    commandLine
        .getCommandSpec()
        .usageMessage()
        .footer(
            "",
            "Get started with `hapax demo`, then `hapax serve`.",
            "Both start a built-in PostgreSQL and need nothing else.",
            "Use `hapax COMMAND --help` for more information about a command.");
    return commandLine
        // @FILE is a payload here, not a file of arguments
        .setExpandAtFiles(false)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(CommandFailures::wrongUsage)
        .setExecutionExceptionHandler(CommandFailures::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
