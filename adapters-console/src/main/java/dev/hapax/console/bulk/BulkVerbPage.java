package dev.hapax.console.bulk;

import dev.hapax.console.run.RunListFilter;
import dev.hapax.console.run.RunVerb;
import dev.hapax.console.view.Address;
import dev.hapax.console.view.ConfirmView;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Route;
import dev.hapax.console.web.Visit;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Asks before a verb is applied to all runs that match a filter, and begins to apply it. */
public record BulkVerbPage(RunVerb verb, BulkJobs jobs) implements ConsolePage, ConsoleAction {
  private static final int NAMED = 5;
  private static final String COUNT = "count";
  private static final String SHOWN = "shown";
  private static final String UNTIL = "until";
  private static final String ONCE = "once";

  /** Its address, which is alike for all verbs; the query is the filter of the list of runs. */
  public Route route() {
    return Route.form("/w/{workspace}/bulk/" + verb.word(), this, this);
  }

  @Override
  public Reply show(Visit visit) {
    return question(visit, Optional.empty());
  }

  private Reply question(Visit visit, Optional<String> problem) {
    var until = visit.now();
    var selection = BulkSelection.find(visit, verb, until);
    var back = RunListFilter.read(visit.query()).address(visit.workspace()).href();
    var sentences = new ArrayList<String>();
    problem.ifPresent(sentences::add);
    if (selection.size() == 0) {
      sentences.add("No run that matches the filter can be changed this way.");
      return page(new ConfirmView(heading(selection), sentences, List.of(), "", false, back));
    }
    sentences.add(verb.effect());
    sentences.add("The newest: " + String.join(", ", newest(selection)) + ".");
    if (selection.more()) {
      sentences.add(
          String.format(
              Locale.ROOT,
              "More runs match. At most %,d are changed at once; come back for the others.",
              BulkSelection.MOST));
    }
    var form =
        new ConfirmView(heading(selection), sentences, List.of(), verb.title(), false, back)
            .line(
                COUNT,
                "Number of runs",
                String.format(Locale.ROOT, "type %d to confirm", selection.size()))
            .line("reason", "Reason", "for the history of each run")
            .hidden(SHOWN, Integer.toString(selection.size()))
            .hidden(UNTIL, until.toString())
            .hidden(ONCE, UUID.randomUUID().toString());
    return page(verb == RunVerb.CANCEL ? form.dangerous() : form);
  }

  private String heading(BulkSelection selection) {
    return "%s %s?"
        .formatted(verb.title(), selection.size() == 1 ? "1 run" : selection.size() + " runs");
  }

  private static List<String> newest(BulkSelection selection) {
    return selection.runs().subList(0, Math.min(NAMED, selection.size()));
  }

  private Reply page(ConfirmView question) {
    return Reply.page(Section.RUNS, question.heading(), "confirm.jte", question);
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var until = until(form);
    var id = form.text(ONCE);
    if (until.isEmpty() || id.isEmpty()) {
      return question(visit, Optional.of("The form was incomplete, so nothing was done."));
    }
    var progress = Address.of(visit.workspace(), "bulk", "job", id).href();
    if (jobs.find(visit, id).isPresent()) {
      return new Reply.SeeOther(progress);
    }
    var selection = BulkSelection.find(visit, verb, until.get());
    var problem = problem(form, selection);
    if (problem.isPresent()) {
      return question(visit, problem);
    }
    var job =
        new BulkJob(
            selection.runs(), run -> verb.perform(visit.api(), visit.workspace(), run, form));
    return jobs.start(visit, id, job)
        ? new Reply.SeeOther(progress)
        : question(
            visit,
            Optional.of(
                String.format(
                    Locale.ROOT,
                    "Nothing was done: %d bulk changes are under way, which is the most. Try again.",
                    BulkJobs.MAX_UNDER_WAY)));
  }

  /** Fewer runs than confirmed are right: some have gone on since. */
  private static Optional<String> problem(Fields form, BulkSelection selection) {
    var confirmed = form.text(COUNT);
    if (!confirmed.equals(form.text(SHOWN))) {
      return Optional.of(
          "Nothing was done: the number was %s, and not %s."
              .formatted(confirmed.isEmpty() ? "missing" : confirmed, form.text(SHOWN)));
    }
    return confirmed.matches("[0-9]{1,4}") && selection.size() <= Integer.parseInt(confirmed)
        ? Optional.empty()
        : Optional.of("Nothing was done: more runs match now.");
  }

  private static Optional<Instant> until(Fields form) {
    try {
      return Optional.of(Instant.parse(form.text(UNTIL)));
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }
}
