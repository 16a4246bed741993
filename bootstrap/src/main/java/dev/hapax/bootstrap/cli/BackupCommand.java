package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax backup}. */
@Command(
    name = "backup",
    description = {
      "Write a backup of the built-in PostgreSQL to a new file, also while a server runs.",
      "It has the state at its end. `hapax restore` restores it."
    })
final class BackupCommand implements Callable<Integer>, ServerSettingOptions.User {
  private static final long MEGABYTE = 1L << 20;

  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "Name of the new file, such as hapax.tar.gz.")
  private Path file = Path.of("");

  BackupCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    var dataDir = dataDir(config, spec.name());
    if (!EmbeddedDatabase.exists(dataDir)) {
      throw new IOException(dataDir + " has no database: name its folder with --data-dir");
    }
    ConfiguredDatabase.use(
        config,
        running -> {
          EmbeddedDatabase.backup(running, dataDir, file.toAbsolutePath());
          return file;
        });
    spec.commandLine()
        .getOut()
        .println(
            String.format(
                Locale.ROOT,
                "wrote %s, %d MiB, with the state of %s",
                file,
                Math.ceilDiv(Files.size(file), MEGABYTE),
                Instant.now().truncatedTo(ChronoUnit.SECONDS)));
    return ExitCode.OK;
  }

  /** Returns the data folder of the built-in PostgreSQL, which a command needs. */
  static Path dataDir(ServerConfig config, String command) throws ConfigurationException {
    return switch (config.database()) {
      case DatabaseConfig.Embedded(var dataDir) -> dataDir;
      case DatabaseConfig.External(var target, var _, var _) ->
          throw new ConfigurationException(
              List.of(
                  "`hapax %s` is for the built-in PostgreSQL: for %s use the tools of PostgreSQL, see docs/backup.md"
                      .formatted(command, target)));
    };
  }
}
