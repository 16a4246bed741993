package dev.hapax.testkit.hook;

import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Instant;

class InMemoryHookReadsTest extends HookReadsContract {
  private final InMemoryLedger ledger = new InMemoryLedger(Instant::now);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected HookReads hooks() {
    return new InMemoryHookReads(ledger, Instant::now);
  }
}
