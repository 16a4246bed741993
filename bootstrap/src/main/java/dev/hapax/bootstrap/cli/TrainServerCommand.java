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
 * What the start script records for the cache that makes a server start fast: a server that starts
 * and stops. The script executes it twice: the first one creates and migrates the database, and the
 * classes for that stay out of the cache, as the memory of a server has all classes of its cache.
 */
@Command(name = "train-server", hidden = true, description = "Used by the start script.")
final class TrainServerCommand implements Callable<Integer>, SettingOptions.User {
  private static final Duration STOP_ALLOWANCE = Duration.ofSeconds(60);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    // options only: the variables of this machine are for the server that is used
    var config = SettingOptions.read(spec.commandLine().getParseResult(), Map.of());
    // SIGTERM and Ctrl-C leave no PostgreSQL behind either
    var termination = Termination.listen(STOP_ALLOWANCE);
    try {
      Server.start(config, termination::isRequested).close();
    } finally {
      termination.finish(ExitCode.SOFTWARE);
    }
    return ExitCode.OK;
  }
}
