package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.Timestamp;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartState;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalOutput;
import dev.hapax.v1.Task;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Computes from a run's history what a worker would get as the task of the current step. */
final class TaskHistory {
  private final String step;
  private final Map<String, RecordedStep> recorded = new LinkedHashMap<>();
  private final Map<String, OpenPart> open = new LinkedHashMap<>();
  private final Map<String, Signal> inbox = new LinkedHashMap<>();
  private final Map<String, SignalOutput> signalOutputs = new LinkedHashMap<>();
  private final String stepId;
  private boolean isWork;
  private String awaiting = "";
  private String failedPart = "";

  TaskHistory(String step, String stepId) {
    this.step = step;
    this.stepId = stepId;
  }

  /** Adds the next event. */
  void add(RunEvent event) {
    var isCurrent = event.getStepName().equals(step);
    switch (event.getAttributesCase()) {
      case SIGNAL_RECEIVED -> {
        var signal = event.getSignalReceived().getSignal();
        inbox.put(signal.getSignalId(), signal);
      }
      case STEP_STARTED -> isWork = event.getStepStarted().getFence() > 0;
      case STEP_SUSPENDED -> awaiting = signalStep(event);
      case STEP_COMPLETED -> {
        consume(event.getStepCompleted().getConsumedSignalIdsList());
        if (event.getStepName().equals(awaiting)) {
          signalOutputs.put(awaiting, signalOutput(event));
        }
      }
      case STEP_SKIPPED -> consume(event.getStepSkipped().getConsumedSignalIdsList());
      case STEP_RECORDED -> {
        consume(event.getStepRecorded().getConsumedSignalIdsList());
        if (isCurrent) {
          recorded(event.getStepRecorded());
        }
      }
      case FAILED -> failedPart = event.getFailed().getFailure().getPart();
      case RETRIED -> reopen(event);
      case PART_BEGUN -> {
        if (isCurrent) {
          var begun = event.getPartBegun();
          put(part(begun.getName(), PartState.PART_STATE_BEGUN).setAttempts(begun.getAttempt()));
        }
      }
      case PART_FAILED -> {
        if (isCurrent) {
          failed(event.getPartFailed());
        }
      }
      case STEP_SETTLED -> {
        var settled = event.getStepSettled();
        if (settled.getStepName().equals(step) && !settled.getPart().isEmpty()) {
          settled(settled, event.getAt());
        }
      }
      case CREATED,
          STEP_FAILED,
          STEP_RESUMED,
          RETRY_SCHEDULED,
          LEASE_LOST,
          LEASE_GIVEN_BACK,
          HOOK_CREATED,
          HOOK_DISPOSED,
          PAUSED,
          RESUMED,
          COMPLETED,
          CANCELLED,
          SUPERSEDED,
          BLOCKED,
          ADMITTED,
          ATTRIBUTES_NOT_SET -> {}
    }
  }

  private void consume(List<String> signals) {
    signals.forEach(inbox::remove);
  }

  /** The signal step that waits. Code steps wait too, but their output is not that of a signal. */
  private String signalStep(RunEvent event) {
    return event.getStepSuspended().hasSignalFilter() && !isWork ? event.getStepName() : "";
  }

  private static SignalOutput signalOutput(RunEvent event) {
    var output = SignalOutput.newBuilder().setStepName(event.getStepName());
    if (event.getStepCompleted().hasOutput()) {
      output.setOutput(event.getStepCompleted().getOutput());
    }
    return output.build();
  }

  private void recorded(RunEvent.StepRecorded event) {
    record(
        RecordedStep.newBuilder()
            .setName(event.getName())
            .setOutput(event.getOutput())
            .setOverlapped(event.getOverlapped())
            .setIsWait(event.getIsWait()));
  }

  private void record(RecordedStep.Builder part) {
    open.remove(part.getName());
    recorded.put(part.getName(), part.setId(stepId + "/" + part.getName()).build());
  }

  private void failed(RunEvent.PartFailed event) {
    var state = event.hasRetryAt() ? PartState.PART_STATE_RETRY : PartState.PART_STATE_FAILED;
    var part =
        part(event.getName(), state).setAttempts(event.getAttempt()).setFailure(event.getFailure());
    if (event.hasRetryAt()) {
      part.setDueAt(event.getRetryAt());
    }
    put(part);
  }

  private void settled(RunEvent.StepSettled settled, Timestamp at) {
    switch (settled.getVerdictCase()) {
      case COMPLETE ->
          record(
              RecordedStep.newBuilder()
                  .setName(settled.getPart())
                  .setOutput(settled.getComplete().getOutput()));
      case FAIL ->
          put(
              part(settled.getPart(), PartState.PART_STATE_FAILED)
                  .setAttempts(attempts(settled.getPart()))
                  .setFailure(settled.getFail()));
      case REPEAT -> repeat(settled.getPart(), at);
      case SKIP, VERDICT_NOT_SET -> {}
    }
  }

  /** A retry of the run gives the part that failed it a new budget. */
  private void reopen(RunEvent event) {
    var part = open.get(failedPart);
    if (part != null && part.getState() == PartState.PART_STATE_FAILED) {
      repeat(failedPart, event.getAt());
    }
  }

  private void repeat(String name, Timestamp due) {
    put(part(name, PartState.PART_STATE_RETRY).setDueAt(due));
  }

  private int attempts(String name) {
    var before = open.get(name);
    return before == null ? 0 : before.getAttempts();
  }

  private static OpenPart.Builder part(String name, PartState state) {
    return OpenPart.newBuilder().setName(name).setState(state);
  }

  /** Puts it behind the others, since they are in the order of their last change. */
  private void put(OpenPart.Builder part) {
    open.remove(part.getName());
    open.put(part.getName(), part.build());
  }

  /** Sets the lists of the task. */
  void set(Task.Builder task) {
    task.addAllSignals(inbox.values())
        .addAllRecorded(recorded.values())
        .addAllSignalOutputs(signalOutputs.values())
        .addAllOpenParts(open.values());
  }
}
