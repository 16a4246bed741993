package dev.hapax.application.waiting;

import dev.hapax.domain.Workspace;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The places in which calls of a workspace may wait, whatever for. */
public final class WaiterQuota {
  /** How many may wait at once in one workspace. */
  public static final int MAX_PER_WORKSPACE = 20_000;

  private final ConcurrentMap<Workspace, Integer> taken = new ConcurrentHashMap<>();

  /**
   * Takes one.
   *
   * @throws TooManyWaitersException if the workspace has as many as it may have
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

  /** Frees one; once for each {@link #take}. */
  public void free(Workspace workspace) {
    taken.computeIfPresent(workspace, (_, present) -> present == 1 ? null : present - 1);
  }

  /** How many wait in all workspaces. */
  public int size() {
    return taken.values().stream().mapToInt(Integer::intValue).sum();
  }
}
