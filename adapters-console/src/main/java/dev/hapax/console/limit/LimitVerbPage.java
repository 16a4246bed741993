package dev.hapax.console.limit;

import com.google.protobuf.Duration;
import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Route;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.SetLimitRequest;

/** Asks before the number of a limit is set or removed, and sets or removes it. */
public record LimitVerbPage(LimitVerb verb) implements ConsolePage, ConsoleAction {
  private static final String ALL = "all values without a number of their own";
  private static final String NUMBER = "max_running";
  private static final String STARTS = "max_starts";
  private static final String PER = "per";

  /** Its address, which is alike for all verbs. */
  public Route route() {
    return Route.form("/w/{workspace}/limits/" + verb.word(), this, this);
  }

  @Override
  public Reply show(Visit visit) {
    var limit = LimitAddress.read(visit.query());
    var title =
        verb.title() + " the number of " + (limit.name().isEmpty() ? "a limit" : limit.name());
    var back = limit.list(visit.workspace()).href();
    var question =
        limit.name().isEmpty()
            ? ConfirmView.of(title + "?", verb.title(), back, verb.effect())
                .requiredLine("name", "Limit", "the name that %s give it".formatted(of(limit)))
                .line("key", "Value of its key", "empty = " + ALL)
            : ConfirmView.of(title + "?", verb.title(), back, scope(limit), verb.effect());
    return Reply.page(Section.LIMITS, title, "confirm.jte", inputs(question));
  }

  private static String scope(LimitAddress limit) {
    return "This is the limit of %s. ".formatted(of(limit))
        + (limit.value().isEmpty()
            ? "For %s, and for runs without a value.".formatted(ALL)
            : "For the value %s of its key.".formatted(limit.value()));
  }

  private static String of(LimitAddress limit) {
    return limit.ofDefinitions() ? "definitions" : "steps";
  }

  private ConfirmView inputs(ConfirmView question) {
    var asked =
        switch (verb) {
          case SET ->
              question
                  .line(NUMBER, "Maximum number of runs", "1 to 1,000; empty = that of definitions")
                  .line(
                      STARTS,
                      "Maximum number of starts",
                      "1 to 10,000; empty = that of definitions")
                  .line(PER, "In how many seconds", "1 to 86,400; only with starts");
          case REMOVE -> question;
        };
    return asked.line("reason", "Reason", "stored with the change");
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var shown = LimitAddress.read(visit.query());
    var limit = shown.name().isEmpty() ? shown.typed(form) : shown;
    var request =
        SetLimitRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setName(limit.name())
            .setKey(limit.value())
            .setOfDefinitions(limit.ofDefinitions())
            .setReason(form.text("reason"))
            .setActor(Api.ACTOR);
    switch (verb) {
      case SET -> {
        request.setMaxRunning(number(form.text(NUMBER))).setMaxStarts(number(form.text(STARTS)));
        if (!form.text(PER).isEmpty()) {
          request.setPer(Duration.newBuilder().setSeconds(number(form.text(PER))));
        }
      }
      case REMOVE -> request.setRemove(true);
    }
    var _ = visit.api().limits().setLimit(request.build());
    return new Reply.SeeOther(limit.list(visit.workspace()).href());
  }

  /** The server refuses what is negative, and says what is permitted. */
  private static int number(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
  }
}
