package dev.hapax.application.entity;

import dev.hapax.domain.lifecycle.LifecycleId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Whose the entities of a lifecycle were found to be: a guess that saves a decision most of the
 * time, and is made good by the decision where it is wrong.
 */
final class OwnerModules {
  /** Beyond it they are found anew: there are few lifecycles. */
  private static final int MAX_KEPT = 10_000;

  private final ConcurrentMap<LifecycleId, String> modules = new ConcurrentHashMap<>();

  /** Where nobody knows, a lifecycle often has its module's name. */
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
