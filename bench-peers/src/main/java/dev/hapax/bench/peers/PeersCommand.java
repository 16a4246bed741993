package dev.hapax.bench.peers;

import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench/run}. */
@Command(
    name = "bench/run",
    mixinStandardHelpOptions = true,
    description = {
      "Compare Hapax with plain JDBC, DBOS and db-scheduler on one PostgreSQL.",
      "Temporal and Restate take part if their servers are given."
    },
    subcommands = PeerHost.class)
final class PeersCommand implements Callable<Integer> {
  @Option(
      names = "--rounds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Number of rounds. Default: 5")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Seconds of each contestant in a round. Default: 5")
  private int seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "60s",
      converter = ShortDuration.class,
      paramLabel = "TIME",
      description = "Minimum load on each process before the first round. Default: 60s")
  private Duration warmUp = Duration.ZERO;

  @Option(
      names = "--only",
      arity = "1..*",
      paramLabel = "TEXT",
      description = "Measure contestants whose title contains one of these texts, and the INSERT.")
  private List<String> only = List.of();

  @Option(
      names = "--slow-commit",
      defaultValue = "1ms",
      converter = ShortDuration.class,
      paramLabel = "TIME",
      description = "Measure again with this delay in every flush; 0s skips it. Default: 1ms")
  private Duration slowCommit = Duration.ZERO;

  @Option(names = "--out", paramLabel = "FOLDER", description = "Write SVG charts to this folder.")
  private @Nullable Path charts;

  @Mixin private StartedServers startedServers = new StartedServers();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    var progress = new Progress(spec.commandLine().getErr());
    var started = startedServers.all();
    var plan = plan(started.keySet());
    // their databases would not be delayed
    var slowPlan = plan(Set.of());
    var folder = Files.createTempDirectory("hapax-peers");
    try {
      var slow = slowCommit.isPositive() ? slowPlan.total() : Duration.ZERO;
      progress.say("this takes about %d min", plan.total().plus(slow).toMinutes() + 1);
      report(measure(plan, progress, folder, "fast", "the disk as it is", Map.of(), started));
      if (slowCommit.isPositive()) {
        measureSlowly(slowPlan, progress, folder);
      }
    } finally {
      delete(folder, progress);
    }
    return 0;
  }

  private BenchPlan plan(Set<Peer> started) {
    var contestants =
        Contestants.ALL.stream()
            .filter(each -> !each.peer().isStartedByHand() || started.contains(each.peer()))
            .filter(
                each ->
                    only.isEmpty()
                        || each.equals(Contestants.INSERT)
                        || only.stream().anyMatch(each::matches))
            .toList();
    return new BenchPlan(contestants, rounds, Duration.ofSeconds(seconds), warmUp);
  }

  private void measureSlowly(BenchPlan plan, Progress progress, Path folder) throws Exception {
    SlowCommit slow;
    try {
      slow = SlowCommit.compile(folder, slowCommit);
    } catch (IOException e) {
      progress.say("skipping the case with slow commits, which needs a C compiler (cc): %s", e);
      return;
    }
    progress.say("delaying each flush by %d us", slowCommit.toNanos() / 1_000);
    var title =
        String.format(Locale.ROOT, "each flush takes %.1f ms more", slowCommit.toNanos() / 1e6);
    report(measure(plan, progress, folder, "slow-commit", title, slow.variables(), Map.of()));
  }

  private static CaseResult measure(
      BenchPlan plan,
      Progress progress,
      Path folder,
      String name,
      String title,
      Map<String, String> variables,
      Map<Peer, StartedServer> started)
      throws Exception {
    var data = folder.resolve(name);
    try (var environment = BenchEnvironment.start(data, variables, plan.peers(), started)) {
      return new CaseResult(name, title, new BenchRun(plan, environment, progress).measure());
    }
  }

  private void report(CaseResult result) throws IOException {
    new PeersReport(spec.commandLine().getOut()).print(result);
    if (charts != null) {
      Files.createDirectories(charts);
      Files.writeString(
          charts.resolve("peers-rates-" + result.name() + ".svg"), RateChart.of(result));
      Files.writeString(
          charts.resolve("peers-latencies-" + result.name() + ".svg"), LatencyChart.of(result));
    }
  }

  /** Deletes the clusters; a failure is only reported, so that it cannot hide that of the bench. */
  private static void delete(Path folder, Progress progress) {
    try (var children = Files.list(folder)) {
      for (var child : children.toList()) {
        if (Files.isDirectory(child)) {
          EmbeddedDatabase.delete(child);
        }
        Files.deleteIfExists(child);
      }
      Files.delete(folder);
    } catch (IOException e) {
      progress.say("cannot delete %s: %s", folder, e);
    }
  }
}
