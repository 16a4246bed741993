package dev.hapax.bootstrap.cli.key;

import dev.hapax.bootstrap.cli.OptionValues;
import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.domain.Text;
import dev.hapax.domain.security.RoleGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax key create}. */
@Command(
    name = "create",
    description = {
      "Create an API key, and print it to standard output.",
      "Servers accept it within 5 s. The database has only a hash of it."
    })
final class CreateKeyCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--principal",
      required = true,
      paramLabel = "NAME",
      description = "The name of the caller, in histories and logs.")
  private String principal = "";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description = "viewer, application, worker, operator, deployer, admin or webhook.")
  private Optional<String> role = Optional.empty();

  @Option(
      names = "--workspace",
      paramLabel = "NAMES",
      description = "Workspaces of the role, with commas between them; * = all.")
  private Optional<String> workspace = Optional.empty();

  @Option(
      names = "--queue",
      paramLabel = "NAMES",
      description =
          "Narrow a worker to these queues: it may only poll them and work on their tasks.")
  private Optional<String> queue = Optional.empty();

  @Option(
      names = "--definition",
      paramLabel = "NAMES",
      description = "Narrow the role to methods that name one of these definitions.")
  private Optional<String> definition = Optional.empty();

  @Option(
      names = "--grant",
      paramLabel = "GRANT",
      description = "A further grant, such as 'role=viewer workspace=*'; may be repeated.")
  private List<String> grants = new ArrayList<>();

  @Option(
      names = "--expires",
      paramLabel = "DURATION",
      description = "How long the key is valid, such as 90d, or never. Default: never")
  private Optional<String> expires = Optional.empty();

  private final Map<String, String> environment;

  CreateKeyCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var name = OptionValues.read(spec, "--principal", () -> Text.requiredName(principal));
    var all = grants();
    var lifetime = expires.map(text -> KeyLifetime.read(spec, text)).flatMap(KeyLifetime::duration);
    var created =
        new KeyDatabase(spec, environment)
            .use(
                keys -> {
                  var key = NewKey.create(name, all, keys.now(), lifetime);
                  keys.insert(key.stored());
                  return key;
                });
    created.print(spec);
    return ExitCode.OK;
  }

  private List<RoleGrant> grants() {
    requireRole("--workspace", workspace);
    requireRole("--queue", queue);
    requireRole("--definition", definition);
    var all = new ArrayList<RoleGrant>();
    if (role.isPresent() || grants.isEmpty()) {
      all.add(
          OptionValues.read(
              spec,
              "--role and --workspace",
              () -> RoleGrant.of(role.orElse(""), workspace.orElse(""), queue, definition)));
    }
    grants.forEach(
        text -> all.add(OptionValues.read(spec, "--grant", () -> RoleGrant.parse(text))));
    return all;
  }

  /** These options do not narrow a {@code --grant}, which names everything itself. */
  private void requireRole(String option, Optional<String> value) {
    if (value.isPresent() && role.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          option + ": needs --role; a --grant has its own, such as 'role=viewer workspace=eu'");
    }
  }
}
