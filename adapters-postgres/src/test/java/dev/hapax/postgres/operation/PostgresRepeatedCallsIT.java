package dev.hapax.postgres.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.operation.RepeatedCallContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresRepeatedCallsIT extends RepeatedCallContract {
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
  protected void letPass(Duration time) {
    nodes.letPass(time);
  }
}
