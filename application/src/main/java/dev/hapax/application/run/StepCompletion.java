package dev.hapax.application.run;

import dev.hapax.domain.run.CompleteTaskOutcome;
import java.util.Optional;

/**
 * The outcome of a completion with the next task.
 *
 * @param next the run's next task, if the caller requested it and holds it now
 */
public record StepCompletion(CompleteTaskOutcome outcome, Optional<Task> next) {}
