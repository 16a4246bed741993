package dev.hapax.grpc.run;

import dev.hapax.domain.run.By;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.SignalOutcome;
import dev.hapax.domain.run.SignalRun;
import dev.hapax.domain.run.StartRun.FirstSignal;
import dev.hapax.grpc.call.Durations;
import dev.hapax.grpc.call.Fields;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.Payloads;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.SignalRunResponse;

/** Signals on the wire. */
final class RunSignals {
  private RunSignals() {}

  static SignalRun command(SignalRunRequest request) {
    if (!request.hasSignal()) {
      throw new InvalidFieldException("signal", "is required");
    }
    var run = RunIds.read(request.getWorkspace(), request.getRunId());
    return read(request.getSignal()).to(run, By.caller(Fields.name("actor", request.getActor())));
  }

  static FirstSignal read(Signal signal) {
    return new FirstSignal(
        Drawn.unless(Fields.name("signal.signal_id", signal.getSignalId())),
        Fields.name("signal.type", signal.getType()),
        Payloads.read("signal.payload", signal.hasPayload(), signal.getPayload()));
  }

  static SignalRunResponse response(SignalRun command, SignalOutcome outcome) {
    var run = command.run().text();
    var response = SignalRunResponse.newBuilder();
    return switch (outcome) {
      case SignalOutcome.Received(_, var delivered) when delivered ->
          response.setDelivered(SignalRunResponse.Delivered.newBuilder().setRunId(run)).build();
      case SignalOutcome.Received _ ->
          response.setBuffered(SignalRunResponse.Buffered.newBuilder().setRunId(run)).build();
      case SignalOutcome.Duplicate _ ->
          response.setDuplicate(SignalRunResponse.Duplicate.newBuilder().setRunId(run)).build();
      case SignalOutcome.NotFound _ -> throw RunErrors.notFound();
      case SignalOutcome.RunEnded(var status) -> throw RunErrors.ended(command.run(), status);
      case SignalOutcome.Full(var inbox) ->
          throw inbox ? RunErrors.inboxFull() : RunErrors.eventLimit();
    };
  }

  static Signal encode(RunReads.Received received) {
    var message =
        Signal.newBuilder()
            .setSignalId(received.signalId())
            .setType(received.type())
            .setReceivedAt(Durations.encode(received.at()));
    received.payload().map(Payloads::encode).ifPresent(message::setPayload);
    return message.build();
  }
}
