package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.Moment;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax run await}. */
@Command(
    name = "await",
    description = "Waits for the end of a run, and shows the run as it is then.",
    exitCodeList = {
      "0:COMPLETED",
      "1:failed to wait",
      "2:wrong usage",
      "3:there is no such run",
      "4:FAILED",
      "5:CANCELLED",
      "6:not ended when the time was over"
    })
final class AwaitCommand implements Callable<Integer> {
  @Mixin private final OneRun one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = Moment.Length.class,
      description = "How long to wait, such as 90s. Default: however long it takes")
  private Optional<Duration> timeout = Optional.empty();

  AwaitCommand(Map<String, String> environment) {
    one = new OneRun(environment);
  }

  @Override
  public Integer call() throws Exception {
    var server = one.server();
    var run = server.call(channel -> Awaiting.end(channel, server.workspace(), one.id(), timeout));
    one.show(run, spec.commandLine().getOut());
    return Ending.exitCode(run.getStatus());
  }
}
