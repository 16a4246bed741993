package dev.hapax.testkit.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.util.Optional;

class InMemoryOperationRecordsTest extends OperationRecordContract {
  private final InMemoryLedger ledger = new InMemoryLedger(new SettableClock());

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected Optional<Operation> kept(OperationId id) {
    return Optional.ofNullable((Operation) ledger.records().get(id));
  }
}
