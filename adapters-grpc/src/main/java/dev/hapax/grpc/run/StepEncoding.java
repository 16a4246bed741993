package dev.hapax.grpc.run;

import dev.hapax.application.run.StepView;
import dev.hapax.application.run.Task;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.StepStatus;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.Step;

/** Encodes the steps of a run. */
record StepEncoding(Run run) {

  /** Encodes a step for lists. */
  Step step(StepView view) {
    var message =
        Step.newBuilder()
            .setName(view.name())
            .setStatus(status(view.status()))
            .setAttempt(view.attempt());
    view.output().map(Payloads::encode).ifPresent(message::setOutput);
    view.failure()
        .ifPresent(f -> message.setFailure(Payloads.encode(f).toBuilder().clearDetails()));
    view.startedAt().map(Durations::encode).ifPresent(message::setStartedAt);
    view.endedAt().map(Durations::encode).ifPresent(message::setEndedAt);
    view.worker().ifPresent(message::setWorkerId);
    view.dueAt().map(Durations::encode).ifPresent(message::setDueAt);
    if (view.named()) {
      message
          .setId(new PartId(run.id(), view.index(), view.name()).text())
          .setRecordedBy(run.definition().step(view.index()).name());
    } else {
      defined(view.index(), message);
    }
    return message.build();
  }

  /** Encodes the current step for its task. */
  Step step(Task task) {
    var position = run.position();
    var message =
        Step.newBuilder()
            .setName(run.step().orElseThrow().name())
            .setStatus(dev.hapax.v1.StepStatus.STEP_STATUS_RUNNING)
            .setAttempt(position.attempt());
    run.held().ifPresent(held -> message.setWorkerId(held.grant().worker()));
    task.failure().map(Payloads::encode).ifPresent(message::setFailure);
    defined(position.step(), message);
    return message.build();
  }

  private void defined(int index, Step.Builder to) {
    run.definition().step(index).work().map(StepDefinition.Work::queue).ifPresent(to::setQueue);
    var current = run.position().step();
    if (index <= current) {
      to.setId(run.id().step(index));
    }
    if (index == current) {
      progress(run.phase(), to);
    }
  }

  /** Adds the due time, lease and filter of the current step. */
  private static void progress(Phase phase, Step.Builder to) {
    switch (phase) {
      case Phase.Ready(var due, _) -> to.setDueAt(Durations.encode(due));
      case Phase.Held held -> to.setLeaseUntil(Durations.encode(held.leaseUntil()));
      case Phase.InDoubt _ -> to.setInDoubt(true);
      case Phase.Waiting(var until, var signal, _) -> {
        until.map(Durations::encode).ifPresent(to::setDueAt);
        signal.map(SignalFilters::encode).ifPresent(to::setSignalFilter);
      }
      case Phase.Paused(var behind) -> progress(behind, to);
      case Phase.Blocked _, Phase.Finishing _, Phase.Ended _ -> {}
    }
  }

  private static dev.hapax.v1.StepStatus status(StepStatus status) {
    return switch (status) {
      case PENDING -> dev.hapax.v1.StepStatus.STEP_STATUS_PENDING;
      case RUNNING -> dev.hapax.v1.StepStatus.STEP_STATUS_RUNNING;
      case WAITING -> dev.hapax.v1.StepStatus.STEP_STATUS_WAITING;
      case COMPLETED -> dev.hapax.v1.StepStatus.STEP_STATUS_COMPLETED;
      case SKIPPED -> dev.hapax.v1.StepStatus.STEP_STATUS_SKIPPED;
      case FAILED -> dev.hapax.v1.StepStatus.STEP_STATUS_FAILED;
      case CANCELLED -> dev.hapax.v1.StepStatus.STEP_STATUS_CANCELLED;
    };
  }
}
