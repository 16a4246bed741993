package dev.hapax.console.definition;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Definition;
import dev.hapax.v1.ListDefinitionsRequest;
import java.util.List;

/** Lists the versions of definitions. */
public final class DefinitionListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;
  private static final String NAME = "name";

  /** A page of versions. */
  public record View(String name, List<Row> definitions, PageLinks pages) {}

  /** A version of a definition. */
  public record Row(
      String name, String version, String href, DisplayTime registered, String by, String reason) {}

  @Override
  public Reply show(Visit visit) {
    var name = visit.query().text(NAME);
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .definitions()
            .listDefinitions(
                ListDefinitionsRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setName(name)
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            name,
            answer.getDefinitionsList().stream().map(each -> row(each, visit)).toList(),
            PageLinks.of(
                Address.of(visit.workspace(), "definitions").with(NAME, name),
                token,
                answer.getNextPageToken()));
    return Reply.page(Section.DEFINITIONS, "Definitions", "definition/list.jte", view);
  }

  private static Row row(Definition definition, Visit visit) {
    return new Row(
        definition.getName(),
        definition.getVersion(),
        Address.of(visit.workspace(), "definitions", definition.getName(), definition.getVersion())
            .href(),
        DisplayTime.of(definition.getRegisteredAt(), visit.now()),
        definition.getRegisteredBy(),
        definition.getReason());
  }
}
