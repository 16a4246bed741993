package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.Hapax;
import dev.hapax.client.Run;
import dev.hapax.client.RunEvent;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax run watch}. */
@Command(
    name = "watch",
    description = "Print the events of a run until it ends.",
    exitCodeList = {
      "0:COMPLETED",
      "1:failure",
      "2:invalid usage",
      "3:no such run",
      "4:FAILED",
      "5:CANCELLED"
    })
final class WatchRunCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ID", description = "ID of the run, such as run_01k….")
  private String id = "";

  @Option(
      names = "--after",
      paramLabel = "VERSION",
      description = "Only events after this version. Default: all events")
  private long version;

  WatchRunCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    return RunExitCode.exitCode(server.call(this::watch).status());
  }

  private Run watch(Hapax hapax) {
    // fails at once without a server
    hapax.runs().get(id);
    var runs = RunEndWait.reconnecting(hapax).runs();
    try (var watch = hapax.runs().watch(id, version, this::print)) {
      while (!watch.await(Duration.ofMinutes(1))) {
        // fails if there is no server for longer, for which a watch waits without end
        runs.get(id);
      }
    }
    return runs.get(id);
  }

  private void print(RunEvent event) {
    var out = spec.commandLine().getOut();
    try {
      out.println(
          server.json() ? ValueFormat.json(event.message()) : RunEventText.line(event.message()));
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
    out.flush();
  }
}
