package dev.hapax.application.entity;

import dev.hapax.domain.lifecycle.LifecycleId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A cache of the modules that own lifecycles. A hit saves a repeated decision; the decision
 * corrects a stale entry.
 */
final class OwnerModules {
  /** The cache is cleared at this size, which is rare because there are few lifecycles. */
  private static final int MAX_KEPT = 10_000;

  private final ConcurrentMap<LifecycleId, String> modules = new ConcurrentHashMap<>();

  /** Returns the cached module, or the name of the lifecycle, which is often that of its module. */
  String of(LifecycleId lifecycle) {
    return modules.getOrDefault(lifecycle, lifecycle.name());
  }

  void keep(LifecycleId lifecycle, String module) {
    if (modules.size() >= MAX_KEPT) {
      modules.clear();
    }
    modules.put(lifecycle, module);
  }
}
