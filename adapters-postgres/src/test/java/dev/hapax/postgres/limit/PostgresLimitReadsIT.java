package dev.hapax.postgres.limit;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.testkit.limit.LimitReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresLimitReadsIT extends LimitReadsContract {
  private static RunNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
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
  protected LimitReads limits() {
    return nodes.limits();
  }
}
