package dev.hapax.testkit.definition;

import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryDefinitionReadsTest extends DefinitionReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected DefinitionReads definitions() {
    return new InMemoryDefinitionReads(ledger);
  }
}
