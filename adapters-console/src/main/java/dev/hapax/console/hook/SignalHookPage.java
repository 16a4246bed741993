package dev.hapax.console.hook;

import dev.hapax.console.view.Right;
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

/** Sends a signal through a token, and shows its hook again. */
public final class SignalHookPage implements ConsoleAction {
  @Override
  public Reply perform(Visit visit, Fields form) {
    var token = form.text("token");
    var signal = NewSignal.newBuilder().setSignalId(form.text("once")).setType(form.text("type"));
    form.optional("payload")
        .ifPresent(json -> signal.setPayload(Payload.newBuilder().setJson(json)));
    var disposition =
        visit
            .api()
            .hooks()
            .signalHook(
                SignalHookRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setToken(token)
                    .setActor(Api.ACTOR)
                    .setSignal(signal)
                    .build())
            .getDisposition();
    return Reply.page(
        Section.HOOKS,
        "Hook",
        "hook/hook.jte",
        HookPart.read(visit, token, visit.may(Right.CALL), sentence(disposition)));
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
