package dev.hapax.console.entity;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.Facts;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.ListEntityEventsRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The part of the history of an entity that a page shows, newest first.
 *
 * @param older the address of the events before
 */
public record EntityHistoryPart(List<EntityEventRow> events, Optional<String> older) {
  private static final int PAGE_SIZE = 50;
  private static final String BEFORE = "before";

  static EntityHistoryPart read(Visit visit, Entity entity, Facts facts) {
    var before = before(visit, entity);
    var first = Math.max(1, before - PAGE_SIZE);
    return new EntityHistoryPart(
        events(visit, entity, first - 1).reversed().stream()
            .filter(event -> event.getVersion() < before)
            .map(event -> EntityEventRow.of(event, facts))
            .toList(),
        first > 1
            ? Optional.of(
                new Address(EntityRow.href(entity), List.of())
                    .with(BEFORE, Long.toString(first))
                    .href())
            : Optional.empty());
  }

  /** The API cuts a page at 1 MiB, so one of many large payloads takes several. */
  private static List<EntityEvent> events(Visit visit, Entity entity, long after) {
    var request =
        ListEntityEventsRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setLifecycle(entity.getLifecycle())
            .setEntityId(entity.getId())
            .setAfterVersion(after)
            .setPageSize(PAGE_SIZE);
    var events = new ArrayList<EntityEvent>();
    do {
      var answer = visit.api().entities().listEntityEvents(request.build());
      events.addAll(answer.getEventsList());
      request.setPageToken(answer.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && events.size() < PAGE_SIZE);
    return events;
  }

  private static long before(Visit visit, Entity entity) {
    var newest = entity.getVersion() + 1;
    var given = visit.query().text(BEFORE);
    return given.matches("[0-9]{1,18}") ? Math.min(Long.parseLong(given), newest) : newest;
  }
}
