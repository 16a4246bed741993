package dev.hapax.bootstrap.cli.sql;

import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.domain.intent.SqlGrant;
import dev.hapax.postgres.intent.SqlGrantTable;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax sql list}. */
@Command(name = "list", description = "List the grants of database roles.")
final class ListSqlGrantsCommand implements Callable<Integer>, ServerSettingOptions.User {
  @Spec private CommandSpec spec = CommandSpec.create();
  private final Map<String, String> environment;

  ListSqlGrantsCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var grants = new SqlGrantDatabase(spec, environment).use(SqlGrantTable::list);
    table(grants).forEach(spec.commandLine().getOut()::println);
    return ExitCode.OK;
  }

  static List<String> table(List<SqlGrant> grants) {
    var table = new Table("ROLE", "WORKSPACE", "VERBS", "GRANTED", "BY");
    for (var grant : grants) {
      table.add(
          grant.isOver() ? grant.role() + " (dropped or renamed)" : grant.role(),
          grant.workspace().name(),
          grant.verbs().stream()
              .sorted()
              .map(verb -> verb.name().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(",")),
          grant.grantedAt().truncatedTo(ChronoUnit.SECONDS).toString(),
          grant.grantedBy());
    }
    return table.lines();
  }
}
