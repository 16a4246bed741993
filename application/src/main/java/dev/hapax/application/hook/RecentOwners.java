package dev.hapax.application.hook;

import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.run.RunId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A cache of the owners of recently used tokens. A hit saves a repeated decision; the decision
 * corrects a stale entry.
 */
final class RecentOwners {
  private static final int KEPT = 20_000;

  // guarded by itself
  private final Map<HookId, RunId> owners =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<HookId, RunId> eldest) {
          return size() > KEPT;
        }
      };

  Optional<RunId> of(HookId hook) {
    synchronized (owners) {
      return Optional.ofNullable(owners.get(hook));
    }
  }

  void keep(HookId hook, RunId owner) {
    synchronized (owners) {
      owners.put(hook, owner);
    }
  }
}
