package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.SignalMessage;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalRunRequest;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax run signal}. */
@Command(
    name = "signal",
    description = "Send a signal to a run.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class SignalRunCommand implements Callable<Integer> {
  @Mixin private final RunArgument one;
  @Mixin private final SignalMessage message = new SignalMessage();
  @Spec private CommandSpec spec = CommandSpec.create();

  SignalRunCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        SignalRunRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setRunId(one.id())
            .setActor(ConnectionOptions.actor());
    var response =
        message.send(
            one.server(),
            (hapax, signal) ->
                hapax.call(RunServiceGrpc.getSignalRunMethod(), request.setSignal(signal).build()));
    spec.commandLine()
        .getOut()
        .println(
            one.server().json()
                ? ValueFormat.json(response)
                : SignalMessage.text(response.getDisposition(), response.getRunId()));
    return ExitCode.OK;
  }
}
