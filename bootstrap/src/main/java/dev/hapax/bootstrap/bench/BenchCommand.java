package dev.hapax.bootstrap.bench;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import dev.hapax.bootstrap.database.EmbeddedDatabase;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax bench}. */
@Command(
    name = "bench",
    description = "Measures this machine: every figure beside a baseline of the same run.")
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what to measure is missing: operations");
  }

  @Command(
      name = "operations",
      description = {
        "Begin and complete, replay, one key and many, against plain JDBC and an empty call.",
        "Takes about (rounds + 2) x 8 sides x seconds."
      })
  void operations(
      @Option(
              names = "--seconds",
              defaultValue = "5",
              description = "Of each side in a round. Default: 5")
          int seconds,
      @Option(names = "--rounds", defaultValue = "5", description = "Default: 5") int rounds,
      @Option(
              names = "--database-url",
              description = "Measure on this PostgreSQL instead of one of its own.")
          String url)
      throws Exception {
    if (url != null) {
      run(seconds, rounds, new JdbcTarget(new JdbcUrl(url), Optional.empty(), Optional.empty()));
      return;
    }
    var folder = Files.createTempDirectory("hapax-bench");
    try (var database = EmbeddedDatabase.start(folder)) {
      run(seconds, rounds, database.target());
    }
    EmbeddedDatabase.delete(folder);
  }

  private void run(int seconds, int rounds, JdbcTarget database) throws Exception {
    new OperationsBench(spec.commandLine().getOut(), Duration.ofSeconds(seconds), rounds, database)
        .run();
  }

  @Command(name = "echo-server", hidden = true, description = "The empty call.")
  void echoServer() throws Exception {
    spec.commandLine().getOut().println("hapax ready on 127.0.0.1:" + Echo.serve());
    spec.commandLine().getOut().flush();
    Thread.currentThread().join();
  }
}
