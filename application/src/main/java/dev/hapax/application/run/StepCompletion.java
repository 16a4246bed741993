package dev.hapax.application.run;

import dev.hapax.domain.run.CompleteTaskOutcome;
import java.util.Optional;

/**
 * What became of a completion.
 *
 * @param next the run's next task, if it was wanted and the caller holds it now
 */
public record StepCompletion(CompleteTaskOutcome outcome, Optional<Task> next) {}
