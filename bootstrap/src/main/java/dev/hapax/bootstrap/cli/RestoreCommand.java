package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax restore}. */
@Command(
    name = "restore",
    description = {
      "Restore a backup to a data folder without a database.",
      "Then `hapax doctor --after-restore` says what it is for; no server starts on it before."
    })
final class RestoreCommand implements Callable<Integer>, ServerSettingOptions.User {
  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "Backup that `hapax backup` has written.")
  private Path file = Path.of("");

  RestoreCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    var dataDir = BackupCommand.dataDir(config, spec.name());
    var backup = EmbeddedDatabase.restore(file.toAbsolutePath(), dataDir);
    var out = spec.commandLine().getOut();
    out.println(
        "restored %s from the backup that hapax %s began at %s"
            .formatted(dataDir, backup.version(), backup.began().truncatedTo(ChronoUnit.SECONDS)));
    out.println("next, with the same --data-dir, one of these; no server starts before:");
    out.println(
        "  hapax doctor --after-restore=replacement  if it replaces a database that was lost");
    out.println("  hapax doctor --after-restore=copy         if it is used beside the original");
    return ExitCode.OK;
  }
}
