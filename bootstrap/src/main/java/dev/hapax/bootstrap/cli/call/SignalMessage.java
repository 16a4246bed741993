package dev.hapax.bootstrap.cli.call;

import dev.hapax.v1.SignalDisposition;

/** The options for a signal, and its disposition as text. */
public final class SignalMessage {
  private SignalMessage() {}

  /** Adds the options to a command that sends a signal. */
  public static RpcCommand addTo(RpcCommand command) {
    return command
        .option(
            "--type",
            "signal.type",
            "TYPE",
            "Type of the signal. Default: no type, which ends no wait for a type")
        .option(
            "--payload",
            "signal.payload",
            PayloadText.LABEL,
            "Payload of the signal. Default: none")
        .key(
            "--signal-id", "signal.signal_id", "Idempotency key of the signal. Default: a new one");
  }

  /** Returns the disposition of a signal as text. */
  public static String text(SignalDisposition disposition, String runId) {
    return switch (disposition) {
      case SIGNAL_DISPOSITION_DELIVERED -> "delivered to " + runId + ": a step was waiting for it";
      case SIGNAL_DISPOSITION_BUFFERED ->
          "buffered by " + runId + ": no step is waiting for it yet";
      case SIGNAL_DISPOSITION_DUPLICATE ->
          "duplicate: " + runId + " already received a signal with this id";
      case SIGNAL_DISPOSITION_UNSPECIFIED, UNRECOGNIZED -> "sent to " + runId;
    };
  }
}
