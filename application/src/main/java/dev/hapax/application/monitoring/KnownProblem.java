package dev.hapax.application.monitoring;

import dev.hapax.domain.monitoring.Problem;
import java.util.Optional;

/**
 * A problem with what its definition says.
 *
 * @param step the name of the step; empty = the items are no runs, or the definition is gone
 */
public record KnownProblem(Problem problem, Optional<String> step) {}
