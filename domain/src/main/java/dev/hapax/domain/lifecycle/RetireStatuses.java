package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Closes statuses to entities for {@link Retirement#TIME}, so that the caller can check that they
 * are empty; or reopens them.
 *
 * @param nonce random, for the change
 * @param statuses empty = the change is abandoned
 */
public record RetireStatuses(LifecycleId id, long nonce, Set<String> statuses)
    implements Command<Boolean> {
  private static final int SIZE = 1024;

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<LifecycleId> keys() {
    return List.of(id);
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE;
  }

  /** Whether the statuses are retired now; another change may be in progress. */
  @Override
  public Boolean decide(BatchRecords records, Instant now) {
    var found = records.get(id);
    if (found.isEmpty()
        || found.get().current(now).filter(other -> other.nonce() != nonce).isPresent()) {
      return false;
    }
    var retirement = new Retirement(statuses, nonce, now.plus(Retirement.TIME));
    records.put(
        id, found.get().with(statuses.isEmpty() ? Optional.empty() : Optional.of(retirement)));
    return true;
  }
}
