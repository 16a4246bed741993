package dev.hapax.postgres.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.testkit.operation.OperationRecordContract;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("long")
class PostgresOperationRecordsIT extends OperationRecordContract {
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
  protected Optional<Operation> kept(OperationId id) {
    return nodes.find(id);
  }
}
