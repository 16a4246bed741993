package dev.hapax.console.entity;

import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.ListLifecyclesRequest;
import java.util.List;

/** Lists entities by lifecycle and id. */
public final class EntityListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;
  private static final int MAX_LIFECYCLES = 500;

  /**
   * A page of entities.
   *
   * @param lifecycles the names to choose from
   * @param statuses those of the lifecycle that is chosen; empty = none is
   */
  public record View(
      EntityFilter filter,
      List<String> lifecycles,
      List<String> statuses,
      List<EntityRow> entities,
      PageLinks pages) {}

  @Override
  public Reply show(Visit visit) {
    var filter = EntityFilter.read(visit.query());
    var token = visit.query().text(PageLinks.FIELD);
    var lifecycles =
        visit
            .api()
            .lifecycles()
            .listLifecycles(
                ListLifecyclesRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setPageSize(MAX_LIFECYCLES)
                    .build())
            .getLifecyclesList();
    var answer =
        visit
            .api()
            .entities()
            .listEntities(
                filter
                    .request(visit.workspace())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            filter,
            lifecycles.stream().map(Lifecycle::getName).toList(),
            lifecycles.stream()
                .filter(lifecycle -> lifecycle.getName().equals(filter.lifecycle()))
                .flatMap(lifecycle -> lifecycle.getStatusTypesList().stream())
                .toList(),
            answer.getEntitiesList().stream()
                .map(entity -> EntityRow.of(entity, visit.now()))
                .toList(),
            PageLinks.of(filter.address(visit.workspace()), token, answer.getNextPageToken()));
    return Reply.page(Section.ENTITIES, "Entities", "entity/list.jte", view);
  }
}
