package dev.hapax.bootstrap.hook;

import dev.hapax.bootstrap.remote.PayloadText;
import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ResumeHookRequest;
import dev.hapax.v1.ResumeHookResponse;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "For whom in the run it is. Default: for whoever waits for any")
  private String type = "";

  @Option(
      names = "--payload",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "What it says. Default: nothing")
  private Optional<Payload> payload = Optional.empty();

  @Option(
      names = "--signal-id",
      paramLabel = "ID",
      description = "Names this signal: the same again changes nothing. Default: a new one")
  private Optional<String> signalId = Optional.empty();

  ResumeCommand(Map<String, String> environment) {
    one = new OneToken(environment);
  }

  @Override
  public Integer call() throws Exception {
    var id = signalId.orElseGet(() -> UUID.randomUUID().toString());
    var request =
        ResumeHookRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setToken(one.token())
            .setSignalId(id)
            .setType(type)
            .setActor(ServerOptions.actor());
    payload.ifPresent(request::setPayload);
    var response =
        one.server()
            .callOnce(
                "--signal-id " + id,
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
