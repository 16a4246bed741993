package dev.hapax.bootstrap.server.metrics;

import java.util.List;

/** Whether calls should be sent to this server, and why not. */
public interface Readiness {
  /**
   * One condition.
   *
   * @param problem empty = it holds
   */
  record Check(String name, String problem) {
    boolean holds() {
      return problem.isEmpty();
    }

    @Override
    public String toString() {
      return name + ": " + (holds() ? "ok" : problem);
    }
  }

  /** All conditions, as they are now; takes 6 s at most. */
  List<Check> checks();
}
