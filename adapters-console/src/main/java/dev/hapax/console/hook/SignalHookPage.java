package dev.hapax.console.hook;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalHookRequest;

/** Sends a signal through a token, and shows what became of it. */
public final class SignalHookPage implements ConsoleAction {
  /** A signal that the owner of the token has. */
  public record View(String sentence, String run, String runHref) {}

  @Override
  public Reply perform(Visit visit, Fields form) {
    var signal = NewSignal.newBuilder().setSignalId(form.text("once")).setType(form.text("type"));
    form.optional("payload")
        .ifPresent(json -> signal.setPayload(Payload.newBuilder().setJson(json)));
    var answer =
        visit
            .api()
            .hooks()
            .signalHook(
                SignalHookRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setToken(form.text("token"))
                    .setActor(Api.ACTOR)
                    .setSignal(signal)
                    .build());
    return Reply.page(
        Section.HOOKS,
        "Signal sent",
        "hook/sent.jte",
        new View(
            sentence(answer.getDisposition()),
            answer.getRunId(),
            Address.ofRun(visit.workspace(), answer.getRunId()).href()));
  }

  private static String sentence(SignalDisposition disposition) {
    return switch (disposition) {
      case SIGNAL_DISPOSITION_DELIVERED -> "The signal was delivered: a step waited for it.";
      case SIGNAL_DISPOSITION_BUFFERED ->
          "The signal is in the inbox of the run, for a later step.";
      case SIGNAL_DISPOSITION_DUPLICATE ->
          "The run has received this signal before; nothing was changed.";
      case SIGNAL_DISPOSITION_UNSPECIFIED, UNRECOGNIZED -> "The signal was sent.";
    };
  }
}
