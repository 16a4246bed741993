package dev.hapax.bootstrap.server.metrics;

import java.util.List;

/** The readiness of this server for calls. */
public interface Readiness {
  /**
   * A condition of readiness.
   *
   * @param problem empty if the condition holds
   * @param isRequired whether the server is not ready without it
   */
  record Check(String name, String problem, boolean isRequired) {
    public Check(String name, String problem) {
      this(name, problem, true);
    }

    /** A condition that is only listed. */
    public static Check optional(String name, String problem) {
      return new Check(name, problem, false);
    }

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
