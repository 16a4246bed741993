package dev.hapax.grpc.run;

import com.google.protobuf.Empty;
import dev.hapax.domain.Payload;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.PartId;
import dev.hapax.domain.run.PartResult;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunReads;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.OpenPart;
import dev.hapax.v1.PartBegun;
import dev.hapax.v1.PartFailed;
import dev.hapax.v1.PartState;
import dev.hapax.v1.RecordStepResponse;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.RunEvent.StepRecorded;
import dev.hapax.v1.RunEvent.StepSettled;
import dev.hapax.v1.SettledCompletion;
import java.time.Duration;

/** Encodes parts, their results and their events. */
final class PartEncoding {
  /** The token with which ListRecords begins. */
  static final String FROM_THE_FIRST = PageTokens.token(0);

  private PartEncoding() {}

  static dev.hapax.v1.PartResult result(PartResult result, Duration longestHold) {
    var message = dev.hapax.v1.PartResult.newBuilder();
    return switch (result) {
      case PartResult.Recorded(var output, var already) ->
          message.setRecorded(recorded(output, already)).build();
      case PartResult.Failed failed -> message.setFailed(failed(failed, longestHold)).build();
      case PartResult.Begun(var id, var inDoubt) ->
          message.setBegun(PartBegun.newBuilder().setStepId(id.text()).setInDoubt(inDoubt)).build();
    };
  }

  static RecordStepResponse.Recorded recorded(Payload output, boolean already) {
    return RecordStepResponse.Recorded.newBuilder()
        .setAlready(already)
        .setOutput(Payloads.encode(output))
        .build();
  }

  private static PartFailed failed(PartResult.Failed failed, Duration longestHold) {
    var message =
        PartFailed.newBuilder()
            .setFailure(Payloads.encode(failed.failure()))
            .setAttempts(failed.attempts());
    failed
        .next()
        .ifPresent(
            next ->
                message
                    .setRetryAt(Durations.encode(next.at()))
                    .setRetryIn(Durations.encode(next.in()))
                    .setHold(next.in().compareTo(longestHold) <= 0));
    return message.build();
  }

  static RecordedStep recorded(Run run, RunReads.Recorded recorded) {
    return RecordedStep.newBuilder()
        .setId(new PartId(run.id(), run.position().step(), recorded.name()).text())
        .setName(recorded.name())
        .setOutput(Payloads.encode(recorded.output()))
        .setOverlapped(recorded.traits().overlapped())
        .setIsWait(recorded.traits().isWait())
        .build();
  }

  static OpenPart open(RunReads.OpenPart open) {
    var message = OpenPart.newBuilder().setName(open.name()).setAttempts(open.part().attempts());
    return switch (open.part()) {
      case Part.Begun _ -> message.setState(PartState.PART_STATE_BEGUN).build();
      case Part.Retrying(_, _, _, _, var due, var failure) -> {
        if (!failure.equals(Part.NONE)) {
          message.setFailure(Payloads.encode(failure));
        }
        yield message.setState(PartState.PART_STATE_RETRY).setDueAt(Durations.encode(due)).build();
      }
      case Part.Failed(_, _, _, _, var failure) ->
          message
              .setState(PartState.PART_STATE_FAILED)
              .setFailure(Payloads.encode(failure))
              .build();
    };
  }

  static StepRecorded recorded(RunChange.StepRecorded recorded) {
    var message =
        StepRecorded.newBuilder()
            .setName(recorded.name())
            .setOutput(Payloads.encode(recorded.output()))
            .addAllConsumedSignalIds(recorded.consumed())
            .setOverlapped(recorded.traits().overlapped())
            .setIsWait(recorded.traits().isWait());
    recorded.elapsed().map(Durations::encode).ifPresent(message::setElapsed);
    recorded.patch().map(Payloads::encode).ifPresent(message::setStatePatch);
    return message.build();
  }

  static dev.hapax.v1.RunEvent.PartFailed failed(RunChange.PartFailed failed) {
    var message =
        dev.hapax.v1.RunEvent.PartFailed.newBuilder()
            .setName(failed.name())
            .setAttempt(failed.attempt())
            .setFailure(Payloads.encode(failed.failure()));
    failed.retryAt().map(Durations::encode).ifPresent(message::setRetryAt);
    return message.build();
  }

  static StepSettled settled(String step, RunChange.StepSettled settled) {
    var message =
        StepSettled.newBuilder()
            .setStepName(step)
            .setPart(settled.part().orElse(""))
            .setReason(settled.reason())
            .setRequestId(settled.requestId());
    return switch (settled.verdict()) {
      case RunChange.Verdict.Complete(var output, var patch) -> {
        var complete = SettledCompletion.newBuilder();
        output.map(Payloads::encode).ifPresent(complete::setOutput);
        patch.map(Payloads::encode).ifPresent(complete::setStatePatch);
        yield message.setComplete(complete).build();
      }
      case RunChange.Verdict.Skip _ -> message.setSkip(Empty.getDefaultInstance()).build();
      case RunChange.Verdict.Fail(var failure) -> message.setFail(Payloads.encode(failure)).build();
      case RunChange.Verdict.Repeat _ -> message.setRepeat(Empty.getDefaultInstance()).build();
    };
  }
}
