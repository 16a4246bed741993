package dev.hapax.bootstrap.cli.call;

import dev.hapax.client.HapaxClient;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SignalDisposition;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import picocli.CommandLine.Option;

/** The options for a signal. */
public final class SignalMessage {
  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Type of the signal. Default: no type, which ends no wait for a type")
  private String type = "";

  @Option(
      names = "--payload",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "Payload of the signal. Default: none")
  private Optional<Payload> payload = Optional.empty();

  @Option(
      names = "--signal-id",
      paramLabel = "ID",
      description = "Idempotency key of the signal. Default: a new one")
  private Optional<String> id = Optional.empty();

  /** Sends the signal; without {@code --signal-id} with a new ID each time. */
  public <R> R send(ConnectionOptions server, BiFunction<HapaxClient, NewSignal, R> call)
      throws Exception {
    var signal = wire(type, payload, id);
    return server.callOnce(
        "--signal-id " + signal.getSignalId(), hapax -> call.apply(hapax, signal));
  }

  /** Builds a signal; without an ID with a new one each time. */
  public static NewSignal wire(String type, Optional<Payload> payload, Optional<String> id) {
    var signal =
        NewSignal.newBuilder()
            .setSignalId(id.orElseGet(() -> UUID.randomUUID().toString()))
            .setType(type);
    payload.ifPresent(signal::setPayload);
    return signal.build();
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
