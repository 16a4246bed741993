package dev.hapax.bootstrap.cli.sql;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax sql}. */
@Command(
    name = "sql",
    description = {
      "Grant database roles the right to post intents, such as hapax.start_run.",
      "Works on the database itself, with the settings of `hapax serve`; needs no running server.",
      "`hapax sql outbox` is for databases without Hapax."
    })
public final class SqlCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var sql = new CommandLine(new SqlCommands());
    root.addSubcommand(sql);
    sql.addSubcommand(new GrantSqlCommand(environment))
        .addSubcommand(new RevokeSqlCommand(environment))
        .addSubcommand(new ListSqlGrantsCommand(environment))
        .addSubcommand(new OutboxScriptCommand());
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing subcommand: grant, revoke, list or outbox");
  }
}
