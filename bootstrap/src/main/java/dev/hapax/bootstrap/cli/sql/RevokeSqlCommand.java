package dev.hapax.bootstrap.cli.sql;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.domain.Workspace;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax sql revoke}. */
@Command(
    name = "revoke",
    description = {
      "Take the grants of a database role away.",
      "Its next statement fails. What it has posted is still carried out."
    })
final class RevokeSqlCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ROLE", description = "The role, from `hapax sql list`.")
  private String role = "";

  @Option(
      names = "--workspace",
      paramLabel = "NAME",
      description = "Only the grant in this workspace. Default: in all")
  private Optional<String> workspace = Optional.empty();

  private final Map<String, String> environment;

  RevokeSqlCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var only =
        workspace.map(name -> OptionValues.read(spec, "--workspace", () -> new Workspace(name)));
    int removed = new SqlGrantDatabase(spec, environment).use(grants -> grants.remove(role, only));
    if (removed == 0) {
      spec.commandLine().getErr().println("hapax: " + role + " has no such grant");
      return ExitCode.SOFTWARE;
    }
    spec.commandLine().getOut().println(role + ": revoked " + removed);
    return ExitCode.OK;
  }
}
