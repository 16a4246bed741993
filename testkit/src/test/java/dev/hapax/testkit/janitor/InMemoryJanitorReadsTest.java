package dev.hapax.testkit.janitor;

import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryJanitorReadsTest extends JanitorReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected JanitorReads janitors() {
    return new InMemoryJanitorReads(ledger, Instant::now);
  }
}
