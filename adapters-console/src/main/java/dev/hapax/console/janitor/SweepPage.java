package dev.hapax.console.janitor;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.SweepRequest;

/** Asks before a janitor sweeps, lets it sweep, and shows what it freed. */
public final class SweepPage implements ConsolePage, ConsoleAction {
  /** The result of a sweep. */
  public record View(String module, String href, int freed, boolean complete) {}

  @Override
  public Reply show(Visit visit) {
    var question =
        ConfirmView.of(
                "Sweep now?",
                "Sweep",
                href(visit),
                "Entities of module %s whose lease has expired go back to where they were."
                    .formatted(visit.segment("module")))
            .line("reason", "Reason", "for the histories");
    return Reply.page(Section.JANITORS, "Sweep", "confirm.jte", question);
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var module = visit.segment("module");
    var swept =
        visit
            .api()
            .janitors()
            .sweep(
                SweepRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setModule(module)
                    .setActor(Api.ACTOR)
                    .setReason(form.text("reason"))
                    .build());
    return Reply.page(
        Section.JANITORS,
        "Swept",
        "janitor/swept.jte",
        new View(module, href(visit), swept.getFreed(), swept.getComplete()));
  }

  private static String href(Visit visit) {
    return Address.of(visit.workspace(), "janitors", visit.segment("module")).href();
  }
}
