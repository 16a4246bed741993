package dev.hapax.console.run;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Route;
import dev.hapax.console.web.Visit;
import java.util.UUID;

/** Asks before a verb is applied to a run, and applies it. */
public record RunVerbPage(RunVerb verb) implements ConsolePage, ConsoleAction {
  /** Its address, which is alike for all verbs. */
  public Route route() {
    return Route.form("/w/{workspace}/runs/{run}/" + verb.word(), this, this);
  }

  @Override
  public Reply show(Visit visit) {
    var id = visit.segment("run");
    var question =
        ConfirmView.of(verb.title() + " this run?", verb.title(), back(visit), id, verb.effect());
    return Reply.page(Section.RUNS, verb.title() + " " + id, "confirm.jte", inputs(question));
  }

  private ConfirmView inputs(ConfirmView question) {
    return switch (verb) {
      case SIGNAL ->
          question
              .line("type", "Type", "empty = only for a step that waits for any signal")
              .lines("payload", "Payload", "JSON; empty = none")
              .hidden("once", UUID.randomUUID().toString());
      case RETRY -> reason(question).hidden("once", UUID.randomUUID().toString());
      case RESUME, PAUSE -> reason(question);
      case CANCEL -> reason(question).dangerous();
    };
  }

  private static ConfirmView reason(ConfirmView question) {
    return question.line("reason", "Reason", "for the history");
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    verb.perform(visit.api(), visit.workspace(), visit.segment("run"), form);
    return new Reply.SeeOther(back(visit));
  }

  private static String back(Visit visit) {
    return Address.ofRun(visit.workspace(), visit.segment("run")).href();
  }
}
