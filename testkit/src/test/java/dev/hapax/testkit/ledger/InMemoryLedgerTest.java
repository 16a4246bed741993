package dev.hapax.testkit.ledger;

import dev.hapax.domain.ledger.Ledger;
import java.time.InstantSource;

class InMemoryLedgerTest extends LedgerContract {
  private final Ledger ledger = new InMemoryLedger(InstantSource.system());

  @Override
  protected Ledger ledger() {
    return ledger;
  }
}
