package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WatchRunRequest;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--after",
      paramLabel = "VERSION",
      description = "Only events after this version. Default: all events")
  private long version;

  WatchRunCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    return RunExitCode.exitCode(one.server().call(this::watch).getStatus());
  }

  private Run watch(Channel channel) throws IOException, InterruptedException {
    var reconnect = new ReconnectPolicy();
    while (true) {
      try {
        // no deadline, since a run may take any time
        var events =
            RunServiceGrpc.newBlockingStub(channel)
                .watchRun(
                    WatchRunRequest.newBuilder()
                        .setWorkspace(one.server().workspace())
                        .setRunId(one.id())
                        .setAfterVersion(version)
                        .build());
        while (events.hasNext()) {
          print(events.next().getEvent());
          reconnect.answered();
        }
        return RunCommands.runs(channel)
            .getRun(
                GetRunRequest.newBuilder()
                    .setWorkspace(one.server().workspace())
                    .setRunId(one.id())
                    .build())
            .getRun();
      } catch (StatusRuntimeException e) {
        reconnect.pauseOrThrow(e);
      }
    }
  }

  private void print(RunEvent event) throws IOException {
    var out = spec.commandLine().getOut();
    out.println(one.server().json() ? ValueFormat.json(event) : RunEventText.line(event));
    out.flush();
    version = event.getVersion();
  }
}
