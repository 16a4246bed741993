package dev.hapax.testkit.operation;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;

class InMemoryRepeatedCallsTest extends RepeatedCallContract {
  private final SettableClock clock = new SettableClock();
  private final Ledger ledger = new InMemoryLedger(clock);

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected void letPass(Duration time) {
    clock.advance(time);
  }
}
