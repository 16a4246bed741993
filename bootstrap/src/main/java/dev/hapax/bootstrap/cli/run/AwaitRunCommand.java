package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.bootstrap.cli.call.TimeOption;
import io.grpc.Channel;
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
    description = "Waits for the end of a run, and shows the run as it is then.",
    exitCodeList = {
      "0:COMPLETED",
      "1:failed to wait",
      "2:wrong usage",
      "3:there is no such run, or nobody owns the token",
      "4:FAILED",
      "5:CANCELLED",
      "6:not ended when the time was over"
    })
final class AwaitRunCommand implements Callable<Integer> {
  /** Which run; exactly one is given. */
  static final class Target {
    @Parameters(paramLabel = "ID", description = "The run, such as run_01k….")
    private String id = "";

    @Option(
        names = "--token",
        paramLabel = "TOKEN",
        description = "The run that owns this token now, or has ended and is remembered by it.")
    private String token = "";

    /** Its id: what becomes of the token later does not matter. */
    private String run(Channel channel, String workspace) {
      return token.isEmpty() ? id : RunEndWait.owner(channel, workspace, token).getId();
    }
  }

  @Mixin private final ServerOptions server;

  @ArgGroup(multiplicity = "1")
  private Target target = new Target();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description = "How long to wait, such as 90s. Default: however long it takes")
  private Optional<Duration> timeout = Optional.empty();

  AwaitRunCommand(Map<String, String> environment) {
    server = new ServerOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var workspace = server.workspace();
    var run =
        server.call(
            channel -> RunEndWait.end(channel, workspace, target.run(channel, workspace), timeout));
    RunArgument.show(server, run, spec.commandLine().getOut());
    return RunExitCode.exitCode(run.getStatus());
  }
}
