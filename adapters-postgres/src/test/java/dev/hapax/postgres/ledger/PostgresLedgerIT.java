package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.testkit.ledger.LedgerContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresLedgerIT extends LedgerContract {
  private static TestLedgers ledgers;
  private static Ledger ledger;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
    ledger = ledgers.node(PostgresLedger.Settings.DEFAULT);
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  @Override
  protected Ledger ledger() {
    return ledger;
  }
}
