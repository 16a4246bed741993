package dev.hapax.bootstrap.hook;

import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.bootstrap.remote.SignalMessage;
import dev.hapax.v1.ResumeHookRequest;
import dev.hapax.v1.ResumeHookResponse;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax hook resume}. */
@Command(
    name = "resume",
    description = "Puts a signal into the inbox of whichever run owns a token.",
    exitCodeList = {
      "0:fine",
      "1:failed",
      "2:wrong usage",
      "3:nobody owns the token, or its owner has ended"
    })
final class ResumeCommand implements Callable<Integer> {
  @Mixin private final OneToken one;
  @Mixin private final SignalMessage message = new SignalMessage();
  @Spec private CommandSpec spec = CommandSpec.create();

  ResumeCommand(Map<String, String> environment) {
    one = new OneToken(environment);
  }

  @Override
  public Integer call() throws Exception {
    var signal = message.wire();
    var request =
        ResumeHookRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setToken(one.token())
            .setSignalId(signal.getSignalId())
            .setType(signal.getType())
            .setActor(ServerOptions.actor());
    if (signal.hasPayload()) {
      request.setPayload(signal.getPayload());
    }
    var response =
        one.server()
            .callOnce(
                "--signal-id " + signal.getSignalId(),
                channel -> HookCommand.hooks(channel).resumeHook(request.build()));
    var out = spec.commandLine().getOut();
    out.println(one.server().json() ? Shown.json(response) : text(response));
    return ExitCode.OK;
  }

  private static String text(ResumeHookResponse response) {
    return switch (response.getOutcomeCase()) {
      case DELIVERED ->
          "delivered to " + response.getDelivered().getRunId() + ": a step waited for it";
      case BUFFERED ->
          "buffered by " + response.getBuffered().getRunId() + ": no step waits for it yet";
      case DUPLICATE ->
          "duplicate: "
              + response.getDuplicate().getRunId()
              + " had a signal with this id before, which stands";
      case OUTCOME_NOT_SET -> "sent";
    };
  }
}
