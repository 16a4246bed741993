package dev.hapax.console.operation;

import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Route;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.ResolveOperationRequest;
import java.util.UUID;

/** Asks before an operation is resolved, and resolves it. */
public record ResolvePage(ResolveVerb verb) implements ConsolePage, ConsoleAction {
  /** Its address, which is alike for all verbs. */
  public Route route() {
    return Route.form("/w/{workspace}/operations/one/" + verb.word(), this, this);
  }

  @Override
  public Reply show(Visit visit) {
    var operation = OperationPage.read(visit);
    var held = operation.getState() == OperationState.OPERATION_STATE_IN_PROGRESS;
    var question =
        ConfirmView.of(
            verb.title() + " this operation?",
            verb.title(),
            OperationAddress.href(operation),
            "%s %s is %s."
                .formatted(
                    operation.getOperation(),
                    operation.getRequestId(),
                    OperationListFilter.word(operation.getState())),
            held
                ? "Its holder loses the claim: its later calls are refused. " + verb.effect()
                : verb.effect());
    return Reply.page(
        Section.OPERATIONS,
        verb.title() + " " + operation.getRequestId(),
        "confirm.jte",
        verb.inputs(question.dangerous())
            .requiredLine("reason", "Reason", "for the record")
            .hidden("once", UUID.randomUUID().toString()));
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var request =
        ResolveOperationRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setKey(OperationAddress.read(visit.query()))
            .setRequestId(form.text("once"))
            .setReason(form.text("reason"))
            .setActor(Api.ACTOR);
    verb.set(request, form);
    var resolved = visit.api().operations().resolveOperation(request.build()).getOperation();
    return new Reply.SeeOther(OperationAddress.href(resolved));
  }
}
