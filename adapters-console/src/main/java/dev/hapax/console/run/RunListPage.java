package dev.hapax.console.run;

import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import java.util.Arrays;

/** Lists runs, newest first. */
public final class RunListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;

  @Override
  public Reply show(Visit visit) {
    var filter = RunListFilter.read(visit.query());
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .runs()
            .listRuns(
                filter
                    .request(visit.workspace(), visit.now())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new RunListView(
            filter,
            answer.getRunsList().stream().map(run -> RunRow.of(run, visit.now())).toList(),
            PageLinks.of(filter.address(visit.workspace()), token, answer.getNextPageToken()),
            Arrays.stream(RunVerb.values())
                .filter(verb -> verb.isBulk() && visit.may(verb.permission()))
                .filter(verb -> filter.allows(verb.from()))
                .toList());
    return Reply.page(Section.RUNS, "Runs", "run/list.jte", view);
  }
}
