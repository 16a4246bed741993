package dev.hapax.domain.janitor;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Declares or changes the janitor contract of a module; rejects it if a required claim state is not
 * covered.
 */
public record DeclareJanitor(Workspace workspace, JanitorContract contract, Attribution by)
    implements Command<DeclareJanitorOutcome> {
  private static final int STATE_SIZE = 64;

  private JanitorId id() {
    return new JanitorId(workspace, contract.module());
  }

  @Override
  public Collection<JanitorId> keys() {
    return List.of(id());
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return STATE_SIZE * (1 + contract.claimStates().size());
  }

  @Override
  public DeclareJanitorOutcome decide(BatchRecords records, Instant now) {
    var before = records.get(id()).orElse(Janitor.NONE);
    if (before.contract().filter(contract::equals).isPresent()) {
      return new DeclareJanitorOutcome.Declared(before, true);
    }
    var uncovered = before.uncovered(Set.of(contract));
    if (!uncovered.isEmpty()) {
      return new DeclareJanitorOutcome.Uncovers(uncovered);
    }
    var declared = before.declared(contract, now, by);
    records.put(id(), declared);
    return new DeclareJanitorOutcome.Declared(declared, false);
  }
}
