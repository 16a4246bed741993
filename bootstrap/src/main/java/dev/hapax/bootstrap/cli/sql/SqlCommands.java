package dev.hapax.bootstrap.cli.sql;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax sql}. */
public final class SqlCommands {
  private SqlCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of(
            "sql",
            "Grant database roles the right to post intents, such as hapax.start_run.",
            "Works on the database itself, with the settings of `hapax serve`; needs no running"
                + " server.",
            "`hapax sql outbox` is for databases without Hapax.")
        .addTo(
            root,
            environment,
            GrantSqlCommand::new,
            RevokeSqlCommand::new,
            ListSqlGrantsCommand::new,
            _ -> new OutboxScriptCommand());
  }
}
