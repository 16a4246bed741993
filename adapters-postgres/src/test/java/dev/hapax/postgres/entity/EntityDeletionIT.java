package dev.hapax.postgres.entity;

import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.entity.EntityDeletionContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Deletions by two nodes of one database. */
class EntityDeletionIT extends EntityDeletionContract {
  private static final EntityNodes nodes = new EntityNodes(2);

  @BeforeAll
  static void install() {
    Invoices.install(nodes, "deletions", JanitorMode.HOSTED);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @Override
  protected Ledger ledger(int node) {
    return nodes.ledger(node);
  }

  @Override
  protected EntityReads reads() {
    return nodes.entities();
  }

  @Override
  protected EntityId newId(int number) {
    return new EntityId(Invoices.WORKSPACE, "deletions", "entity-" + number);
  }

  @Override
  protected CreateEntity create(EntityId id) {
    return Invoices.create(id, "approved");
  }

  @Override
  protected BeginAction claim(EntityId id) {
    return Invoices.begin(id, "close", "admin", "claim", Duration.ofHours(1));
  }
}
