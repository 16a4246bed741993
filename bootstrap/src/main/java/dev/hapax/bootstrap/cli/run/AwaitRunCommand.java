package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.client.Hapax;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax run await}. */
@Command(
    name = "await",
    description = "Wait until a run ends, then show it.",
    exitCodeList = {
      "0:COMPLETED",
      "1:failure",
      "2:invalid usage",
      "3:no such run or token",
      "4:FAILED",
      "5:CANCELLED",
      "6:not ended within --timeout"
    })
final class AwaitRunCommand implements Callable<Integer> {
  /** The run, by ID or by token. */
  static final class Target {
    @Parameters(paramLabel = "ID", description = "ID of the run, such as run_01k….")
    private String id = "";

    @Option(
        names = "--token",
        paramLabel = "TOKEN",
        description = "Token of the run, which owns it or owned it last.")
    private String token = "";

    /** Returns the ID, so that a later change of the token has no effect. */
    private String run(Hapax hapax) {
      return token.isEmpty() ? id : hapax.runs().awaitToken(token, Duration.ZERO).id();
    }
  }

  @Mixin private final ConnectionOptions server;

  @ArgGroup(multiplicity = "1")
  private Target target = new Target();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "Maximum time to wait, such as 90s. Default: no limit")
  private Optional<Duration> timeout = Optional.empty();

  AwaitRunCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var run = server.call(hapax -> RunEndWait.end(hapax, target.run(hapax), timeout));
    server.print(run.message(), RunText::details, spec.commandLine().getOut());
    return RunExitCode.exitCode(run.status());
  }
}
