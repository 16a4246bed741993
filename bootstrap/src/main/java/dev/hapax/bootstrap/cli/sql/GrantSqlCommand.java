package dev.hapax.bootstrap.cli.sql;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentVerb;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax sql grant}. */
@Command(
    name = "grant",
    description = {
      "Let a database role post intents in workspaces.",
      "Replaces its grant in each of them. It also holds for roles that inherit from the role."
    })
final class GrantSqlCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ROLE", description = "A role of the database, such as shop.")
  private String role = "";

  @Option(
      names = "--workspace",
      paramLabel = "NAMES",
      split = ",",
      description = "Workspaces, with commas between them. Default: default")
  private List<String> workspaces = List.of(Workspace.DEFAULT.name());

  @Option(
      names = "--verb",
      paramLabel = "NAMES",
      split = ",",
      description = "Functions that it may call: ${COMPLETION-CANDIDATES}. Default: all")
  private List<IntentVerb> verbs = List.of(IntentVerb.values());

  private final Map<String, String> environment;

  GrantSqlCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var names =
        workspaces.stream()
            .map(name -> OptionValues.read(spec, "--workspace", () -> new Workspace(name)))
            .toList();
    var by = System.getProperty("user.name", "");
    var granted =
        new SqlGrantDatabase(spec, environment)
            .use(
                grants -> {
                  if (!grants.hasRole(role)) {
                    throw new IOException("the database has no role " + role);
                  }
                  names.forEach(name -> grants.put(role, name, EnumSet.copyOf(verbs), by));
                  return grants.list();
                });
    ListSqlGrantsCommand.table(granted.stream().filter(grant -> grant.role().equals(role)).toList())
        .forEach(spec.commandLine().getOut()::println);
    return ExitCode.OK;
  }
}
