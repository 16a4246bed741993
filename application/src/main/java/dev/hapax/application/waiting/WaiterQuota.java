package dev.hapax.application.waiting;

import dev.hapax.domain.Workspace;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Limits the number of waiting calls of each workspace. */
public final class WaiterQuota {
  /** The largest number of waiting calls of one workspace. */
  public static final int MAX_PER_WORKSPACE = 20_000;

  private final ConcurrentMap<Workspace, Integer> taken = new ConcurrentHashMap<>();

  /**
   * Takes a place.
   *
   * @throws TooManyWaitersException if the workspace has reached its limit
   */
  public void take(Workspace workspace) {
    taken.merge(workspace, 1, WaiterQuota::admit);
  }

  private static int admit(int present, int one) {
    if (present >= MAX_PER_WORKSPACE) {
      throw new TooManyWaitersException(MAX_PER_WORKSPACE);
    }
    return present + one;
  }

  /** Frees a place; once for each {@link #take}. */
  public void free(Workspace workspace) {
    taken.computeIfPresent(workspace, (_, present) -> present == 1 ? null : present - 1);
  }

  /** The number of waiting calls in all workspaces. */
  public int size() {
    return taken.values().stream().mapToInt(Integer::intValue).sum();
  }
}
