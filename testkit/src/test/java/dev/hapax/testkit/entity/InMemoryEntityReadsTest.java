package dev.hapax.testkit.entity;

import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryEntityReadsTest extends EntityReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected EntityReads entities() {
    return new InMemoryEntityReads(ledger, Instant::now);
  }
}
