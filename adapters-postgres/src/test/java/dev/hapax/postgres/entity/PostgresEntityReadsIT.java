package dev.hapax.postgres.entity;

import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.entity.EntityReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresEntityReadsIT extends EntityReadsContract {
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(1);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @Override
  protected Ledger ledger() {
    return nodes.ledger(0);
  }

  @Override
  protected EntityReads entities() {
    return nodes.entities();
  }
}
