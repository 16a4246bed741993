package dev.hapax.bench;

import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code hapax bench}. */
@Command(
    name = "hapax bench",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    description = {
      "Measure Hapax on this machine, each rate beside a baseline of the same run.",
      "`bench/run` compares Hapax with DBOS and db-scheduler."
    },
    synopsisSubcommandLabel = "COMMAND",
    usageHelpAutoWidth = true,
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n")
final class BenchCommand implements Runnable {
  static final String ECHO_SERVER = "echo-server";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a command is missing: operations, runs, parts, hooks, claims, sql, security or"
            + " row-level-security");
  }

  @Command(
      name = "operations",
      description = {
        "Measure operations: begin and complete, replays, and many callers of one key.",
        "The baselines are plain JDBC and an empty gRPC call.",
        "Takes about (rounds + 2) x 7 x seconds."
      })
  void operations(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new OperationsBench(bench).run());
  }

  @Command(
      name = "runs",
      description = {
        "Measure starts of runs, and whole runs of one step and of ten.",
        "The baselines are a plain INSERT and a server with batches of one.",
        "Takes about (rounds + 2) x 8 x seconds."
      })
  void runs(
      @Mixin BenchOptions options,
      @Option(
              names = "--full",
              defaultValue = "0",
              paramLabel = "N",
              description =
                  "Measure again with N finished runs in the tables, and N/10 runs that wait. Default: 0")
          int full,
      @Option(
              names = "--old-snapshot",
              defaultValue = "0",
              paramLabel = "MINUTES",
              description =
                  "Measure latencies while another transaction holds an old snapshot. Default: 0")
          int minutes)
      throws Exception {
    options.run(spec, bench -> new RunsBench(bench, full, Duration.ofMinutes(minutes)).run());
  }

  @Command(
      name = "parts",
      description = {
        "Measure what one part, one wait and one grant cost, and workflows of the Java client.",
        "The baselines are an INSERT and a record. Takes about a minute and half of one a round."
      })
  void parts(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new PartsBench(bench).run());
  }

  @Command(
      name = "hooks",
      description = {
        "Measure starts with and without a token, one token and many, and signals.",
        "Takes about (rounds + 2) x 7 x seconds."
      })
  void hooks(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new HooksBench(bench).run());
  }

  @Command(
      name = "claims",
      description = {
        "Measure actions on entities, on one entity and on many.",
        "The baseline is begin and complete of an operation.",
        "Takes about (rounds + 2) x 4 x seconds."
      })
  void claims(
      @Mixin BenchOptions options,
      @Option(
              names = "--abandoned",
              defaultValue = "0",
              paramLabel = "N",
              description =
                  "Then let N claims expire at once and measure the janitor beside a load. Default: 0")
          int abandoned)
      throws Exception {
    options.run(spec, bench -> new ClaimsBench(bench, abandoned).run());
  }

  @Command(
      name = "sql",
      description = {
        "Measure intents: beside a plain INSERT of the same size, and beside StartRun.",
        "Takes about (rounds + 2) x 7 x seconds."
      })
  void sql(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new SqlBench(bench).run());
  }

  @Command(
      name = "security",
      description = {
        "Measure operations with credentials and with TLS; the baseline is a server without them.",
        "Takes about (rounds + 2) x 4 x seconds."
      })
  void security(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new SecurityBench(bench).run());
  }

  @Command(
      name = "noisy-neighbor",
      description = {
        "Measure a workspace beside one that calls more often than its limit allows.",
        "Takes about (rounds + 2) x 2 x seconds."
      })
  void noisyNeighbor(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new NoisyNeighborBench(bench).run());
  }

  @Command(
      name = "row-level-security",
      description = {
        "Measure operations with and without row-level security, in one workspace and in 256.",
        "Takes about (rounds + 2) x 6 x seconds."
      })
  void rowLevelSecurity(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new RowSecurityBench(bench).run());
  }

  @Command(name = ECHO_SERVER, hidden = true, description = "Serve the empty call.")
  void echoServer() throws Exception {
    spec.commandLine().getOut().println(ServerProcess.READY + "127.0.0.1:" + EchoServer.serve());
    spec.commandLine().getOut().flush();
    Thread.currentThread().join();
  }
}
