package dev.hapax.testkit.lifecycle;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryLifecycleReadsTest extends LifecycleReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected LifecycleReads lifecycles() {
    return new InMemoryLifecycleReads(ledger);
  }
}
