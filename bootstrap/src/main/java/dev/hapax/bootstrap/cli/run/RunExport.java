package dev.hapax.bootstrap.cli.run;

import dev.hapax.client.Hapax;
import dev.hapax.v1.HistoryView;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepStatus;
import dev.hapax.v1.Task;
import java.util.List;
import java.util.Optional;

/** Reads the task of a run's current step without holding it. */
final class RunExport {
  /** The statuses of runs that a worker continues. */
  static final List<RunStatus> STATUSES =
      List.of(
          RunStatus.RUN_STATUS_RUNNING, RunStatus.RUN_STATUS_WAITING, RunStatus.RUN_STATUS_PAUSED);

  private static final int PAGE = 500;

  private RunExport() {}

  /** Returns the task; empty = the current step is a timer or signal step. */
  static Optional<Task> task(Hapax hapax, String workspace, String id) {
    var run = hapax.runs().get(id).message();
    return step(hapax, workspace, run)
        .filter(step -> !step.getQueue().isEmpty())
        .map(step -> task(hapax, workspace, run, step));
  }

  private static Task task(Hapax hapax, String workspace, Run run, Step step) {
    var task =
        Task.newBuilder()
            .setRun(run.toBuilder().clearInput().clearState())
            .setStep(inTask(step))
            .setInput(run.getInput())
            .setState(run.getState());
    history(hapax, workspace, run, step).set(task);
    return task.build();
  }

  private static Step inTask(Step step) {
    var message =
        Step.newBuilder()
            .setId(step.getId())
            .setName(step.getName())
            .setStatus(StepStatus.STEP_STATUS_RUNNING)
            .setAttempt(Math.max(1, step.getAttempt()))
            .setQueue(step.getQueue());
    if (step.hasFailure()) {
      message.setFailure(step.getFailure());
    }
    return message.build();
  }

  private static Optional<Step> step(Hapax hapax, String workspace, Run run) {
    var request =
        ListStepsRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(run.getId())
            .setView(HistoryView.HISTORY_VIEW_BASIC)
            .setPageSize(PAGE);
    do {
      var page = hapax.call(request.build(), ListStepsResponse.getDefaultInstance());
      var found =
          page.getStepsList().stream()
              .filter(step -> step.getRecordedBy().isEmpty())
              .filter(step -> step.getName().equals(run.getCurrentStep()))
              .findFirst();
      if (found.isPresent()) {
        return found;
      }
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return Optional.empty();
  }

  /** Reads the events up to the version of the run, so that task and run fit together. */
  private static TaskHistory history(Hapax hapax, String workspace, Run run, Step step) {
    var history = new TaskHistory(run.getCurrentStep(), step.getId());
    var request =
        ListRunEventsRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(run.getId())
            .setPageSize(PAGE);
    do {
      var page = hapax.call(request.build(), ListRunEventsResponse.getDefaultInstance());
      page.getEventsList().stream()
          .filter(event -> event.getVersion() <= run.getVersion())
          .forEach(history::add);
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return history;
  }
}
