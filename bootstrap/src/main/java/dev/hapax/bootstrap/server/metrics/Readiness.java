package dev.hapax.bootstrap.server.metrics;

import java.util.List;

/** The readiness of this server for calls. */
public interface Readiness {
  /**
   * A condition of readiness.
   *
   * @param problem empty if the condition holds
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

  /** Evaluates all conditions; takes at most 6 s. */
  List<Check> checks();
}
