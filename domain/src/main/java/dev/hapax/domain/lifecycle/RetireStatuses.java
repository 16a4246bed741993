package dev.hapax.domain.lifecycle;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Closes statuses of lifecycles to entities for {@link Retirement#TIME}, so that the caller can
 * check that they are empty; or reopens them.
 *
 * @param nonce random, for the change
 * @param statuses by lifecycle; no statuses = the change of this lifecycle is abandoned
 */
public record RetireStatuses(Workspace workspace, long nonce, Map<String, Set<String>> statuses)
    implements Command<Optional<String>> {
  private static final int SIZE = 1024;

  public RetireStatuses {
    statuses = Collections.unmodifiableMap(new TreeMap<>(statuses));
  }

  @Override
  public Collection<LifecycleId> keys() {
    return statuses.keySet().stream().map(this::id).toList();
  }

  private LifecycleId id(String lifecycle) {
    return new LifecycleId(workspace, lifecycle);
  }

  @Override
  public Urgency urgency() {
    return Urgency.FINISH;
  }

  @Override
  public int size() {
    return SIZE * statuses.size();
  }

  /**
   * Returns a lifecycle that another change has in progress, and nothing changed; empty = all
   * statuses are retired.
   */
  @Override
  public Optional<String> decide(BatchRecords records, Instant now) {
    var busy = statuses.keySet().stream().filter(name -> isBusy(records.get(id(name)), now));
    var first = busy.findFirst();
    if (first.isEmpty()) {
      statuses.forEach((name, retired) -> retire(records, id(name), retired, now));
    }
    return first;
  }

  private boolean isBusy(Optional<AppliedLifecycle> found, Instant now) {
    return found.isEmpty()
        || found.get().current(now).filter(other -> other.nonce() != nonce).isPresent();
  }

  private void retire(BatchRecords records, LifecycleId id, Set<String> retired, Instant now) {
    var retirement = new Retirement(retired, nonce, now.plus(Retirement.TIME));
    var found = records.get(id).orElseThrow();
    records.put(id, found.with(retired.isEmpty() ? Optional.empty() : Optional.of(retirement)));
  }
}
