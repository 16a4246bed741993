package dev.hapax.testkit.run;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.RunReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryPartsTest extends PartsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected RunReads runs() {
    return new InMemoryRunReads(ledger, Instant::now);
  }
}
