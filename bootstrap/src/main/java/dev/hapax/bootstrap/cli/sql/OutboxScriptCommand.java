package dev.hapax.bootstrap.cli.sql;

import dev.hapax.outbox.OutboxRelay;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax sql outbox}. */
@Command(
    name = "outbox",
    description = {
      "Print the SQL that installs the schema hapax_outbox in a database of your own.",
      "Such as: hapax sql outbox | psql --single-transaction shop. Connects to nothing."
    })
final class OutboxScriptCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    var out = spec.commandLine().getOut();
    out.print(OutboxRelay.script());
    out.flush();
    return ExitCode.OK;
  }
}
