package dev.hapax.grpc.run;

import com.google.protobuf.MessageLite;
import dev.hapax.application.run.Task;
import dev.hapax.domain.run.NamedStepId;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.SentClaim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.RecordedStep;
import java.time.Duration;

/** What tasks look like on the wire. */
public final class TaskEncoding {
  /** Of all signals and recorded steps of one task. */
  private static final int MAX_LISTED_BYTES = 1 << 20;

  private TaskEncoding() {}

  /** How much of the lists still fits. */
  private static final class Room {
    private int left = MAX_LISTED_BYTES;

    boolean has(MessageLite message) {
      left -= message.getSerializedSize();
      return left >= 0;
    }
  }

  static dev.hapax.v1.Task task(Task task) {
    return task(task, task.leaseRemaining());
  }

  /** A task whose lease is counted from another time. */
  static dev.hapax.v1.Task task(Task task, Duration leaseRemaining) {
    var run = task.run();
    var message =
        dev.hapax.v1.Task.newBuilder()
            .setRun(RunEncoding.inTask(run))
            .setStep(new StepEncoding(run).step(task))
            .setInput(Payloads.encode(run.origin().input()))
            .setState(Payloads.encode(run.state()))
            .setLeaseRemaining(Durations.encode(leaseRemaining))
            .setMoreSignals(task.moreSignals())
            .setMoreRecorded(task.moreRecorded());
    run.claim().map(TaskClaims::encode).ifPresent(message::setClaim);
    var room = new Room();
    for (var received : task.signals()) {
      var signal = RunSignals.encode(received);
      if (!room.has(signal)) {
        message.setMoreSignals(true);
        break;
      }
      message.addSignals(signal);
    }
    for (var each : task.recorded()) {
      var recorded = recorded(run, each);
      if (!room.has(recorded)) {
        message.setMoreRecorded(true);
        break;
      }
      message.addRecorded(recorded);
    }
    return message.build();
  }

  private static RecordedStep recorded(Run run, RunReads.Recorded recorded) {
    return RecordedStep.newBuilder()
        .setId(new NamedStepId(run.id(), run.position().step(), recorded.name()).text())
        .setName(recorded.name())
        .setOutput(Payloads.encode(recorded.output()))
        .build();
  }

  public static ClaimLost lost(TaskLost lost) {
    return lost.run().isEmpty()
        ? SentClaim.unknown(lost.claim().run().workspace())
        : ClaimLost.newBuilder().setReason(reason(lost.reason())).build();
  }

  private static ClaimLostReason reason(TaskLost.Reason reason) {
    return switch (reason) {
      case UNKNOWN_CLAIM -> ClaimLostReason.CLAIM_LOST_REASON_UNKNOWN_CLAIM;
      case RUN_CANCELLED -> ClaimLostReason.CLAIM_LOST_REASON_RUN_CANCELLED;
      case SUPERSEDED -> ClaimLostReason.CLAIM_LOST_REASON_SUPERSEDED;
      case LEASE_LOST -> ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST;
      case ENDED -> ClaimLostReason.CLAIM_LOST_REASON_ENDED;
    };
  }
}
