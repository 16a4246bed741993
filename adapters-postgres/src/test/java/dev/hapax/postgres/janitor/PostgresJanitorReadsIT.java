package dev.hapax.postgres.janitor;

import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.postgres.entity.EntityNodes;
import dev.hapax.testkit.janitor.JanitorReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresJanitorReadsIT extends JanitorReadsContract {
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
  protected JanitorReads janitors() {
    return nodes.janitors();
  }
}
