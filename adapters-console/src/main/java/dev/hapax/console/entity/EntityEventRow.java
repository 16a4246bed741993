package dev.hapax.console.entity;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.console.view.Facts;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An event of an entity.
 *
 * @param what the type in words
 * @param status where the entity stood after it
 * @param by the actor, with its verified principal
 */
public record EntityEventRow(
    long version, DisplayTime at, String what, String status, String by, List<Fact> facts) {
  private static final Set<String> SHOWN_BESIDE =
      Set.of("version", "at", "type", "actor", "principal", "status");

  static EntityEventRow of(EntityEvent event, Facts facts) {
    return new EntityEventRow(
        event.getVersion(),
        DisplayTime.of(event.getAt(), facts.now()),
        words(event.getType()),
        event.getStatus(),
        event.getPrincipal().isEmpty()
            ? event.getActor()
            : event.getActor() + " (" + event.getPrincipal() + ")",
        facts.of(event).stream()
            .filter(fact -> !SHOWN_BESIDE.contains(fact.name()))
            .flatMap(EntityEventRow::attributes)
            .toList());
  }

  /** The attributes of the type, without the group around them. */
  private static Stream<Fact> attributes(Fact fact) {
    return fact.value() instanceof Fact.Group(var inner) ? inner.stream() : Stream.of(fact);
  }

  private static String words(EntityEventType type) {
    return type.name().replace("ENTITY_EVENT_TYPE_", "").replace('_', ' ').toLowerCase(Locale.ROOT);
  }
}
