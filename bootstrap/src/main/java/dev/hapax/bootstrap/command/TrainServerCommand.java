package dev.hapax.bootstrap.command;

import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.EmbeddedDatabase;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.bootstrap.server.Termination;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * What the start script records for the cache that makes a server start fast: a server that starts,
 * answers calls and stops, on a data folder that is deleted afterwards.
 */
@Command(name = "train-server", hidden = true, description = "Used by the start script.")
final class TrainServerCommand implements Callable<Integer>, ServerSettings.User {
  private static final Duration STOP_ALLOWANCE = Duration.ofSeconds(60);
  // the first start creates and migrates a database, the second finds it
  private static final int STARTS = 2;

  private static final List<List<String>> CALLS =
      List.of(
          List.of("run", "start", "order", "--input={}"),
          List.of("run", "list", "--json"),
          List.of("operation", "list"),
          List.of("entity", "list"));

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    // options only: the variables of this machine are for the server that is used
    var config = ServerSettings.read(spec.commandLine().getParseResult(), Map.of());
    // SIGTERM and Ctrl-C leave no PostgreSQL behind either
    var termination = Termination.listen(STOP_ALLOWANCE);
    try {
      for (var start = 0; start < STARTS && !termination.isRequested(); start++) {
        serve(config, termination);
      }
      if (config.database() instanceof DatabaseConfig.Embedded(var dataDir)) {
        EmbeddedDatabase.delete(dataDir);
      }
    } finally {
      termination.finish(ExitCode.SOFTWARE);
    }
    return ExitCode.OK;
  }

  private static void serve(ServerConfig config, Termination termination)
      throws IOException, ConfigurationException {
    try (var server = Server.start(config, termination::isRequested)) {
      CALLS.forEach(call -> TrainCommand.execute(call, server.address().toString()));
    }
  }
}
