package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.server.Server;
import dev.hapax.bootstrap.server.Termination;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Starts and stops a server, from which the start script records the AOT cache. The script runs it
 * twice: the first run creates and migrates the database, so that the cache, which is memory of
 * every server, does not contain the classes for that.
 */
@Command(name = "train-server", hidden = true, description = "Used by the start script.")
final class TrainServerCommand implements Callable<Integer>, ServerSettingOptions.User {
  private static final Duration STOP_ALLOWANCE = Duration.ofSeconds(60);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    // options only: environment variables are for the real server
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), Map.of());
    // SIGTERM and Ctrl-C must not leave a PostgreSQL running
    var termination = Termination.listen(STOP_ALLOWANCE);
    try {
      Server.start(config, termination::isRequested).close();
    } finally {
      termination.finish(ExitCode.SOFTWARE);
    }
    return ExitCode.OK;
  }
}
