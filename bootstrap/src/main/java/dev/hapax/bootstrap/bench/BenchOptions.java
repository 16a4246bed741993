package dev.hapax.bootstrap.bench;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How long to measure, and on which database. */
final class BenchOptions {
  @Option(
      names = "--seconds",
      defaultValue = "5",
      description = "Of each side in a round. Default: 5")
  private int seconds;

  @Option(names = "--rounds", defaultValue = "5", description = "Default: 5")
  private int rounds;

  @Option(
      names = "--database-url",
      description = "Measure on this PostgreSQL instead of one of its own.")
  private @Nullable String url;

  /** What is measured. */
  interface Measuring {
    void on(BenchServers bench) throws Exception;
  }

  void run(CommandSpec spec, Measuring measuring) throws Exception {
    if (url != null) {
      var target = new JdbcTarget(new JdbcUrl(url), Optional.empty(), Optional.empty());
      measuring.on(bench(spec, target));
      return;
    }
    var folder = Files.createTempDirectory("hapax-bench");
    try (var database = EmbeddedDatabase.start(folder)) {
      measuring.on(bench(spec, database.target()));
    }
    EmbeddedDatabase.delete(folder);
  }

  private BenchServers bench(CommandSpec spec, JdbcTarget database) {
    return new BenchServers(
        spec.commandLine().getOut(), Duration.ofSeconds(seconds), rounds, database);
  }
}
