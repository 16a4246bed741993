package dev.hapax.application.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.ActionFailureKind;
import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.DeleteEntity;
import dev.hapax.domain.entity.DeleteEntityOutcome;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.entity.FailAction;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.Actor;
import dev.hapax.testkit.entity.EntityDeletionContract;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Deletions by the application, and what they leave in memory. */
class EntityDeletionsTest extends EntityDeletionContract {
  private final Office office = new Office();
  private final List<Office.Node> nodes = List.of(office.node(JanitorMode.HOSTED), office.node());

  @Override
  protected Ledger ledger(int node) {
    // no two things happen at one instant
    office.pass(Duration.ofNanos(1_000));
    return nodes.get(node).ledger;
  }

  @Override
  protected EntityReads reads() {
    return new InMemoryEntityReads(office.records, office.clock);
  }

  @Override
  protected EntityId newId(int number) {
    return Office.invoice("deleted-" + number);
  }

  @Override
  protected CreateEntity create(EntityId id) {
    return new CreateEntity(id, "approved", "", Actor.caller("test"));
  }

  @Override
  protected BeginAction claim(EntityId id) {
    return nodes.getFirst().beginning(id, "close", "claim").expecting(Billing.MODULE);
  }

  private DeleteEntityOutcome delete(EntityId id, String request) {
    return nodes
        .getFirst()
        .entities
        .delete(
            new DeleteEntity(id, request, "obsolete", OptionalLong.empty(), Actor.caller("test")))
        .join();
  }

  @Test
  @DisplayName("given later deletions, then a repeated deletion keeps the entity created since")
  void sentAgain() {
    var id = newId(0);
    for (var request : List.of("r1", "r2")) {
      nodes.getFirst().create(id, "approved");
      assertThat(delete(id, request)).isEqualTo(new DeleteEntityOutcome.Deleted(false));
    }
    nodes.getFirst().create(id, "approved");

    assertThat(delete(id, "r1")).isEqualTo(new DeleteEntityOutcome.Deleted(true));
    assertThat(office.look(id).status()).isEqualTo("approved");
  }

  @Test
  @DisplayName("given another node deletes the entity, then a waiting Begin returns")
  void waiting() {
    var here = nodes.getFirst();
    var there = nodes.getLast();
    var id = here.create("awaited", "approved");
    var held = here.claim(id, "holder");
    here.ledger.hearNothing();
    var waiting = here.begin(id, "close", "waits", Duration.ofSeconds(30));
    there
        .entities
        .fail(new FailAction(held, ActionFailureKind.FAILURE, "", Actor.caller("test")))
        .join();
    there
        .entities
        .delete(new DeleteEntity(id, "r", "obsolete", OptionalLong.empty(), Actor.caller("test")))
        .join();
    assertThat(waiting).isNotDone();

    here.ledger.commitElsewhere();
    office.pass(Duration.ofSeconds(1));

    assertThat(waiting).isCompletedWithValueMatching(BeginActionOutcome.NoEntity.class::isInstance);
  }
}
