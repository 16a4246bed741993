package dev.hapax.console.run;

import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import java.util.List;
import java.util.Optional;

/**
 * Decides which steps and parts of a run the visitor may settle now.
 *
 * @param inDoubt whether the current step outlived its lease, and runs at most once
 * @param allowed whether the visitor may settle, and no worker holds the current step
 */
record Settleable(Run run, boolean inDoubt, boolean allowed) {
  static Settleable of(Visit visit, Run run, List<Step> steps) {
    var isHeld = steps.stream().anyMatch(Step::hasLeaseUntil);
    var inDoubt = steps.stream().anyMatch(Step::getInDoubt);
    return new Settleable(run, inDoubt, !isHeld && visit.may(ConsolePermission.OPERATE));
  }

  /** The form for what failed the run, or for its step in doubt. */
  Optional<String> form() {
    return isFailed() || inDoubt
        ? form(run.getCurrentStep(), run.getFailure().getPart())
        : Optional.empty();
  }

  /** The form for a step or part. */
  Optional<String> form(Step step) {
    if (step.getRecordedBy().isEmpty()) {
      return step.getInDoubt() || (isFailed() && step.getName().equals(run.getCurrentStep()))
          ? form(step.getName(), "")
          : Optional.empty();
    }
    return step.getRecordedBy().equals(run.getCurrentStep()) && isOpen(step)
        ? form(step.getRecordedBy(), step.getName())
        : Optional.empty();
  }

  /** A part that failed for good is open only while its failure is that of the run. */
  private boolean isOpen(Step part) {
    return switch (run.getStatus()) {
      case RUN_STATUS_RUNNING, RUN_STATUS_WAITING, RUN_STATUS_PAUSED, RUN_STATUS_FAILED ->
          part.getStatus() == StepStatus.STEP_STATUS_RUNNING
              || (part.getStatus() == StepStatus.STEP_STATUS_FAILED
                  && isFailed()
                  && part.getName().equals(run.getFailure().getPart()));
      case RUN_STATUS_PENDING,
          RUN_STATUS_COMPLETED,
          RUN_STATUS_CANCELLED,
          RUN_STATUS_UNSPECIFIED,
          UNRECOGNIZED ->
          false;
    };
  }

  boolean isFailed() {
    return run.getStatus() == RunStatus.RUN_STATUS_FAILED;
  }

  private Optional<String> form(String step, String part) {
    return allowed
        ? Optional.of(SettlePage.href(run.getWorkspace(), run.getId(), step, part))
        : Optional.empty();
  }
}
