package dev.hapax.bootstrap.bench;

import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
    throw new ParameterException(
        spec.commandLine(), "what to measure is missing: operations, runs, hooks or claims");
  }

  @Command(
      name = "operations",
      description = {
        "Begin and complete, replay, one key and many, against plain JDBC and an empty call.",
        "Takes about (rounds + 2) x 7 sides x seconds."
      })
  void operations(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new OperationsBench(bench).run());
  }

  @Command(
      name = "runs",
      description = {
        "Starts of runs, runs of one step and of ten, against this server in batches of one.",
        "Takes about (rounds + 2) x 7 sides x seconds."
      })
  void runs(
      @Mixin BenchOptions options,
      @Option(
              names = "--full",
              defaultValue = "0",
              description =
                  "Then again with so many finished runs in the tables, and a tenth as many that wait.")
          int full,
      @Option(
              names = "--old-snapshot",
              defaultValue = "0",
              description =
                  "Then at a third of the peak with an old snapshot held, for so many minutes.")
          int minutes)
      throws Exception {
    options.run(spec, bench -> new RunsBench(bench, full, Duration.ofMinutes(minutes)).run());
  }

  @Command(
      name = "hooks",
      description = {
        "Starts with tokens and without, one token and many, signals to owners.",
        "Takes about (rounds + 2) x 7 sides x seconds."
      })
  void hooks(@Mixin BenchOptions options) throws Exception {
    options.run(spec, bench -> new HooksBench(bench).run());
  }

  @Command(
      name = "claims",
      description = {
        "Actions on entities, one entity and many, against pairs of operations.",
        "Takes about (rounds + 2) x 4 sides x seconds."
      })
  void claims(
      @Mixin BenchOptions options,
      @Option(
              names = "--abandoned",
              defaultValue = "0",
              description =
                  "Then so many claims whose leases end at once, with a load beside them.")
          int abandoned)
      throws Exception {
    options.run(spec, bench -> new ClaimsBench(bench, abandoned).run());
  }

  @Command(name = "echo-server", hidden = true, description = "The empty call.")
  void echoServer() throws Exception {
    spec.commandLine().getOut().println("hapax ready on 127.0.0.1:" + EchoServer.serve());
    spec.commandLine().getOut().flush();
    Thread.currentThread().join();
  }
}
