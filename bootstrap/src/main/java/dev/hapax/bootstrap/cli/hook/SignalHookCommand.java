package dev.hapax.bootstrap.cli.hook;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.SignalMessage;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.SignalHookRequest;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax hook signal}. */
@Command(
    name = "signal",
    description = "Send a signal to the run that owns a token.",
    exitCodeList = {
      "0:success",
      "1:failure",
      "2:invalid usage",
      "3:no run owns the token, or its owner has ended"
    })
final class SignalHookCommand implements Callable<Integer> {
  @Mixin private final TokenArgument one;
  @Mixin private final SignalMessage message = new SignalMessage();
  @Spec private CommandSpec spec = CommandSpec.create();

  SignalHookCommand(Map<String, String> environment) {
    one = new TokenArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        SignalHookRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setToken(one.token())
            .setActor(ConnectionOptions.actor());
    var response =
        message.send(
            one.server(),
            (hapax, signal) ->
                hapax.call(
                    HookServiceGrpc.getSignalHookMethod(), request.setSignal(signal).build()));
    spec.commandLine()
        .getOut()
        .println(
            one.server().json()
                ? ValueFormat.json(response)
                : SignalMessage.text(response.getDisposition(), response.getRunId()));
    return ExitCode.OK;
  }
}
