package dev.hapax.postgres.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.run.Actor;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is written is what is loaded, and what is found. */
class EntityRecordsIT {
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(1);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static List<EntityId> ids(String lifecycle) {
    return EntitySamples.NAMES.stream()
        .map(name -> new EntityId(EntitySamples.WORKSPACE, lifecycle, name))
        .toList();
  }

  @Test
  @DisplayName("an entity is read as it was written, and from one state to another nothing stays")
  void roundTrip() {
    var samples = new EntitySamples(1);
    var ids = ids("round");
    for (var version = 1; version <= 60; version++) {
      var written = new ArrayList<Entity>();
      for (var id : ids) {
        written.add(samples.entity(id, version));
      }
      EntityNodes.awaitAll(
          written.stream().map(each -> nodes.submit(0, RunNodes.write(each.id(), each))));
      assertThat(EntityNodes.awaitAll(ids.stream().map(id -> nodes.submit(0, RunNodes.read(id)))))
          .isEqualTo(written);
      assertThat(EntityNodes.awaitAll(ids.stream().map(id -> nodes.entities().find(id))))
          .isEqualTo(written.stream().map(Optional::of).toList());
    }
    var stranger = new EntityId(EntitySamples.WORKSPACE, "other", ids.getFirst().id());
    assertThat(EntityNodes.await(nodes.entities().find(stranger))).isEmpty();
  }

  @Test
  @DisplayName("every event is read as it was written, in order, on pages of every size")
  void everyEvent() {
    var samples = new EntitySamples(2);
    for (var id : ids("events")) {
      var events = samples.events();
      var entity = samples.entity(id, events.size());
      nodes.run(RunNodes.write(id, entity.with(events)));
      for (var size : List.of(7, 399, 400, 500)) {
        assertThat(history(id, size)).isEqualTo(events);
      }
    }
  }

  @Test
  @DisplayName("a page of events ends early rather than be too large")
  void largeEvents() {
    var id = new EntityId(EntitySamples.WORKSPACE, "large", "large");
    var failed = new EntityChange.ActionFailed(ActionFailureKind.FAILURE, "x".repeat(4_096));
    var events =
        LongStream.rangeClosed(1, 1_500)
            .mapToObj(
                version -> new EntityEvent(version, RunSamples.NOW, Actor.SERVER, "s", failed))
            .toList();
    nodes.run(RunNodes.write(id, new EntitySamples(3).entity(id, events.size()).with(events)));
    var page = EntityNodes.await(nodes.entities().events(id, 0, events.size()));
    assertThat(page.items())
        .hasSizeBetween(900, 1_100)
        .isEqualTo(events.subList(0, page.items().size()));
    assertThat(page.next()).contains((long) page.items().size());
    assertThat(history(id, events.size())).isEqualTo(events);
  }

  private static List<EntityEvent> history(EntityId id, int size) {
    var all = new ArrayList<EntityEvent>();
    var after = Optional.of(0L);
    do {
      var page = EntityNodes.await(nodes.entities().events(id, after.get(), size));
      assertThat(page.items().size()).isLessThanOrEqualTo(size);
      all.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return all;
  }
}
