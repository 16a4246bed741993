package dev.hapax.console.lifecycle;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.ListLifecyclesRequest;
import java.util.List;

/** Lists lifecycles by name. */
public final class LifecycleListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;

  /** A page of lifecycles. */
  public record View(List<Row> lifecycles, PageLinks pages) {}

  /** A lifecycle in a list. */
  public record Row(
      String name, String href, String entity, String module, long version, DisplayTime applied) {}

  @Override
  public Reply show(Visit visit) {
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .lifecycles()
            .listLifecycles(
                ListLifecyclesRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            answer.getLifecyclesList().stream().map(each -> row(each, visit)).toList(),
            PageLinks.of(
                Address.of(visit.workspace(), "lifecycles"), token, answer.getNextPageToken()));
    return Reply.page(Section.LIFECYCLES, "Lifecycles", "lifecycle/list.jte", view);
  }

  private static Row row(Lifecycle lifecycle, Visit visit) {
    return new Row(
        lifecycle.getName(),
        Address.of(visit.workspace(), "lifecycles", lifecycle.getName()).href(),
        lifecycle.getEntity(),
        lifecycle.getModule(),
        lifecycle.getVersion(),
        DisplayTime.of(lifecycle.getAppliedAt(), visit.now()));
  }
}
