package dev.hapax.postgres.run;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.RunReads;
import dev.hapax.testkit.run.PartsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresPartsIT extends PartsContract {
  private static RunNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @Override
  protected Ledger ledger() {
    return nodes.ledger(0);
  }

  @Override
  protected RunReads runs() {
    return nodes.runs();
  }
}
