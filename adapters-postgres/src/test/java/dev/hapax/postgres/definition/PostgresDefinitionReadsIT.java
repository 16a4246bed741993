package dev.hapax.postgres.definition;

import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.testkit.definition.DefinitionReadsContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresDefinitionReadsIT extends DefinitionReadsContract {
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
  protected DefinitionReads definitions() {
    return nodes.definitions();
  }
}
