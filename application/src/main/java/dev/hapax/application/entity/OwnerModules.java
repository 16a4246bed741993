package dev.hapax.application.entity;

import dev.hapax.domain.lifecycle.LifecycleId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which module owns the entities of a lifecycle, as far as this node knows. A wrong entry costs a
 * second decision, nothing else.
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
