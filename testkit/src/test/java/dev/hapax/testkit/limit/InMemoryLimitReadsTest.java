package dev.hapax.testkit.limit;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.limit.LimitReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryLimitReadsTest extends LimitReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected LimitReads limits() {
    return new InMemoryLimitReads(ledger);
  }
}
