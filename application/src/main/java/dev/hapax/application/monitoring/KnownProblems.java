package dev.hapax.application.monitoring;

import dev.hapax.domain.monitoring.Problem;
import java.util.List;
import java.util.Optional;

/**
 * The problems of a workspace, with what its definitions say.
 *
 * @param isKnown whether the workspace has any record
 */
public record KnownProblems(boolean isKnown, List<Named> problems) {
  public KnownProblems {
    problems = List.copyOf(problems);
  }

  /**
   * A problem.
   *
   * @param step the name of the step; empty = the items are no runs, or the definition is gone
   */
  public record Named(Problem problem, Optional<String> step) {}
}
