package dev.hapax.grpc.run;

import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SignalDisposition;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.SignalRun;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.grpc.call.RandomValues;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;

/** Decodes and encodes signals. */
public final class RunSignals {
  private RunSignals() {}

  static SignalRun command(SignalRunRequest request, RandomValues random) {
    var run = RunIds.read(request.getWorkspace(), request.getRunId());
    return read(request.getSignal(), random).to(run, CallerReader.actor(request.getActor()));
  }

  /** Decodes a signal, whose id is drawn if it has none. */
  public static NewSignal read(dev.hapax.v1.NewSignal signal, RandomValues random) {
    return new NewSignal(
        random.nameOr(signal.getSignalId()),
        signal.getType(),
        Payloads.decode(signal.hasPayload(), signal.getPayload()));
  }

  static SignalRunResponse response(SignalRun command, SignalOutcome outcome) {
    return switch (outcome) {
      case SignalOutcome.Accepted(var run, var disposition) ->
          SignalRunResponse.newBuilder()
              .setDisposition(disposition(disposition))
              .setRunId(run.id().text())
              .build();
      case SignalOutcome.NotFound _ -> throw RunErrors.notFoundBy(command.run().text());
      case SignalOutcome.RunEnded(var status) -> throw RunErrors.ended(command.run(), status);
      case SignalOutcome.Full(var inbox) ->
          throw inbox ? RunErrors.inboxFull() : RunErrors.eventLimit();
    };
  }

  public static dev.hapax.v1.SignalDisposition disposition(SignalDisposition disposition) {
    return switch (disposition) {
      case DELIVERED -> dev.hapax.v1.SignalDisposition.SIGNAL_DISPOSITION_DELIVERED;
      case BUFFERED -> dev.hapax.v1.SignalDisposition.SIGNAL_DISPOSITION_BUFFERED;
      case DUPLICATE -> dev.hapax.v1.SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE;
    };
  }

  static Signal encode(RunReads.Received received) {
    var message =
        Signal.newBuilder()
            .setSignalId(received.signalId())
            .setType(received.type())
            .setReceivedAt(Durations.encode(received.at()));
    received
        .hook()
        .ifPresent(hook -> message.setHook(hook.fingerprint().text()).setHookName(hook.name()));
    received.payload().map(Payloads::encode).ifPresent(message::setPayload);
    return message.build();
  }
}
