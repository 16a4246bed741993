package dev.hapax.postgres.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.testkit.operation.OperationReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresOperationReadsIT extends OperationReadsContract {
  private static OperationNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new OperationNodes(1);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @Override
  protected Ledger ledger() {
    return nodes;
  }

  @Override
  protected OperationReads operations() {
    return nodes.reads();
  }
}
