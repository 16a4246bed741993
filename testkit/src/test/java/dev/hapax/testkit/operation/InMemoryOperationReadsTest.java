package dev.hapax.testkit.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryOperationReadsTest extends OperationReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected OperationReads operations() {
    return new InMemoryOperationReads(ledger, Instant::now);
  }
}
