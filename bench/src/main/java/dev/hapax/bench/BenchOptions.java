package dev.hapax.bench;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of all benches: rounds, time and database. */
final class BenchOptions {
  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Seconds of each measurement in a round. Default: 5")
  private int seconds;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Rounds, after two for warm-up. Default: 5")
  private int rounds;

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      description = "JDBC URL of a PostgreSQL. Default: start one in a temporary folder.")
  private @Nullable String url;

  /** One bench, such as that of runs. */
  interface Bench {
    void run(BenchServers servers) throws Exception;
  }

  void run(CommandSpec spec, Bench bench) throws Exception {
    if (url != null) {
      var target = new JdbcTarget(new JdbcUrl(url), Optional.empty(), Optional.empty());
      bench.run(servers(spec, target));
      return;
    }
    var folder = Files.createTempDirectory("hapax-bench");
    try (var database = EmbeddedDatabase.start(folder)) {
      bench.run(servers(spec, database.target()));
    }
    EmbeddedDatabase.delete(folder);
  }

  private BenchServers servers(CommandSpec spec, JdbcTarget database) {
    return new BenchServers(
        spec.commandLine().getOut(), Duration.ofSeconds(seconds), rounds, database);
  }
}
