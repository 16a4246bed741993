package dev.hapax.console.entity;

import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Route;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ReleaseClaimRequest;
import java.util.UUID;

/** Asks before the claim on an entity is released, and releases it. */
public record ReleasePage(ReleaseVerb verb) implements ConsolePage, ConsoleAction {
  private static final String VERSION = "version";

  /** Its address, which is alike for all verbs. */
  public Route route() {
    return Route.form("/w/{workspace}/entities/{lifecycle}/{entity}/" + verb.word(), this, this);
  }

  @Override
  public Reply show(Visit visit) {
    var entity = EntityPage.read(visit);
    var claim = entity.getClaim();
    var question =
        ConfirmView.of(
                verb.title() + "?",
                verb.title(),
                EntityRow.href(entity),
                "%s %s is in status %s."
                    .formatted(entity.getLifecycle(), entity.getId(), entity.getStatus()),
                entity.hasClaim()
                    ? "The holder %s loses its claim: its later calls are refused."
                        .formatted(claim.getHolder())
                    : "No holder has it, so there is nothing to release.",
                entity.hasClaim() ? verb.effect(claim) : "Go back to the entity.")
            .dangerous()
            .requiredLine("reason", "Reason", "for the history")
            // another claim than the one that is shown must not be released
            .hidden(VERSION, Long.toString(entity.getVersion()))
            .hidden("once", UUID.randomUUID().toString());
    return Reply.page(Section.ENTITIES, verb.title(), "confirm.jte", question);
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var version = form.text(VERSION);
    var released =
        visit
            .api()
            .entities()
            .releaseClaim(
                ReleaseClaimRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setLifecycle(visit.segment("lifecycle"))
                    .setEntityId(visit.segment("entity"))
                    .setRequestId(form.text("once"))
                    .setReason(form.text("reason"))
                    .setExpectedVersion(
                        version.matches("[0-9]{1,18}") ? Long.parseLong(version) : 0)
                    .setActor(Api.ACTOR)
                    .setOutcome(verb.outcome())
                    .build());
    return new Reply.SeeOther(EntityRow.href(released.getEntity()));
  }
}
