package dev.hapax.grpc.run;

import com.google.protobuf.MessageLite;
import dev.hapax.application.run.Task;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.PresentedClaim;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.SignalOutput;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Encodes tasks. */
public final class TaskEncoding {
  /** The most bytes of the signals, recorded steps and signal outputs of one task. */
  private static final int MAX_LISTED_BYTES = 1 << 20;

  private TaskEncoding() {}

  /** The bytes that are left for the lists of a task. */
  private static final class Room {
    private int left = MAX_LISTED_BYTES;

    boolean has(MessageLite message) {
      left -= message.getSerializedSize();
      return left >= 0;
    }
  }

  static dev.hapax.v1.Task task(Task task) {
    return task(task, UnaryOperator.identity());
  }

  /**
   * Encodes a task.
   *
   * @param counted converts the rest of a time to one that is counted from another moment
   */
  static dev.hapax.v1.Task task(Task task, UnaryOperator<Duration> counted) {
    var run = task.run();
    var message =
        dev.hapax.v1.Task.newBuilder()
            .setRun(RunEncoding.inTask(run))
            .setStep(new StepEncoding(run).step(task))
            .setInput(Payloads.encode(run.origin().input()))
            .setState(Payloads.encode(run.state()))
            .setLeaseRemaining(Durations.encode(counted.apply(task.leaseRemaining())))
            .setMoreSignals(task.moreSignals())
            .setLastAttempt(run.position().isLastAttempt())
            .setMoreSignalOutputs(task.moreSignalOutputs());
    run.claim().map(TaskClaims::encode).ifPresent(message::setClaim);
    run.details().map(Payloads::encode).ifPresent(message::setLastDetails);
    task.attemptRemaining()
        .map(counted)
        .map(Durations::encode)
        .ifPresent(message::setAttemptRemaining);
    var room = new Room();
    signals(task, room, message);
    parts(task, room, message);
    for (var each : task.signalOutputs()) {
      var output = signalOutput(run, each);
      if (!room.has(output)) {
        message.setMoreSignalOutputs(true);
        break;
      }
      message.addSignalOutputs(output);
    }
    return message.build();
  }

  /** Adds signals, oldest first, and always the one that woke the step. */
  private static void signals(Task task, Room room, dev.hapax.v1.Task.Builder message) {
    var waking = task.waking().map(RunSignals::encode);
    waking.ifPresent(room::has);
    for (var received : task.signals()) {
      var signal = RunSignals.encode(received);
      var isWaking = waking.equals(Optional.of(signal));
      if (!isWaking && !room.has(signal)) {
        message.setMoreSignals(true);
        break;
      }
      message.addSignals(signal);
    }
    waking
        .filter(signal -> !message.getSignalsList().contains(signal))
        .ifPresent(message::addSignals);
  }

  private static SignalOutput signalOutput(Run run, RunReads.SignalOutput completed) {
    var message =
        SignalOutput.newBuilder().setStepName(run.definition().step(completed.step()).name());
    completed.output().map(Payloads::encode).ifPresent(message::setOutput);
    return message.build();
  }

  /**
   * Adds the open parts, then the recorded ones. A client that knows only recorded steps has to ask
   * for each name as long as a body must not run.
   */
  private static void parts(Task task, Room room, dev.hapax.v1.Task.Builder message) {
    for (var each : task.parts().open()) {
      var open = PartEncoding.open(each);
      room.has(open);
      message.addOpenParts(open).setMoreRecorded(true);
    }
    for (var each : task.parts().recorded().items()) {
      var recorded = PartEncoding.recorded(task.run(), each);
      if (!room.has(recorded)) {
        message.setMoreRecorded(true);
        break;
      }
      message.addRecorded(recorded);
    }
    var page = task.parts().recorded();
    var listed = message.getRecordedCount();
    if (listed < page.items().size() || page.next().isPresent()) {
      message
          .setMoreRecorded(true)
          .setMoreRecordedToken(
              listed == 0
                  ? PartEncoding.FROM_THE_FIRST
                  : PageTokens.token(page.items().get(listed - 1).version()));
    }
  }

  public static ClaimLost lost(TaskLost lost) {
    return lost.run().isEmpty()
        ? PresentedClaim.unknown(lost.claim().run().workspace())
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
