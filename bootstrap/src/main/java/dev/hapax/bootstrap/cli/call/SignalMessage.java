package dev.hapax.bootstrap.cli.call;

import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SignalDisposition;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Option;

/** The signal that a command sends. */
public final class SignalMessage {
  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Which steps receive it. Default: any step that waits for a signal")
  private String type = "";

  @Option(
      names = "--payload",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "What it says. Default: nothing")
  private Optional<Payload> payload = Optional.empty();

  @Option(
      names = "--signal-id",
      paramLabel = "ID",
      description = "Names this signal: the same again changes nothing. Default: a new one")
  private Optional<String> id = Optional.empty();

  /** Without {@code --signal-id} it gets a new id each time. */
  public NewSignal wire() {
    return wire(type, payload, id);
  }

  /** The signal of these options; without an id it gets a new one each time. */
  public static NewSignal wire(String type, Optional<Payload> payload, Optional<String> id) {
    var signal =
        NewSignal.newBuilder()
            .setSignalId(id.orElseGet(() -> UUID.randomUUID().toString()))
            .setType(type);
    payload.ifPresent(signal::setPayload);
    return signal.build();
  }

  /** What became of a signal, for people. */
  public static String text(SignalDisposition disposition, String runId) {
    return switch (disposition) {
      case SIGNAL_DISPOSITION_DELIVERED -> "delivered to " + runId + ": a step waited for it";
      case SIGNAL_DISPOSITION_BUFFERED -> "buffered by " + runId + ": no step waits for it yet";
      case SIGNAL_DISPOSITION_DUPLICATE ->
          "duplicate: " + runId + " had a signal with this id before, which stands";
      case SIGNAL_DISPOSITION_UNSPECIFIED, UNRECOGNIZED -> "sent to " + runId;
    };
  }
}
