package dev.hapax.console.janitor;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.ListJanitorsRequest;
import java.util.List;

/** Lists janitors by module. */
public final class JanitorListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;

  /** A page of janitors. */
  public record View(List<JanitorRow> janitors, PageLinks pages) {}

  @Override
  public Reply show(Visit visit) {
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .janitors()
            .listJanitors(
                ListJanitorsRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            answer.getJanitorsList().stream()
                .map(janitor -> JanitorRow.of(janitor, visit.now()))
                .toList(),
            PageLinks.of(
                Address.of(visit.workspace(), "janitors"), token, answer.getNextPageToken()));
    return Reply.page(Section.JANITORS, "Janitors", "janitor/list.jte", view);
  }
}
