package dev.hapax.postgres.hook;

import dev.hapax.domain.hook.HookReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.testkit.hook.HookReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresHookReadsIT extends HookReadsContract {
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
  protected HookReads hooks() {
    return nodes.hooks();
  }
}
