package dev.hapax.postgres.lifecycle;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.postgres.entity.EntityNodes;
import dev.hapax.testkit.lifecycle.LifecycleReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresLifecycleReadsIT extends LifecycleReadsContract {
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
  protected LifecycleReads lifecycles() {
    return nodes.lifecycles();
  }
}
