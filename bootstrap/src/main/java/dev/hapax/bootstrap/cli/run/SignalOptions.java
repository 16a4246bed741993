package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Option;

/** The options for a signal that is sent with a start. */
final class SignalOptions {
  @Option(
      names = "--signal-type",
      paramLabel = "TYPE",
      description =
          "Type of a signal for the started run or, with signal-existing, for the"
              + " owner of the token. Default: no type, which ends no wait for a type")
  private String type = "";

  @Option(
      names = "--signal-payload",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "Payload of the signal. Default: none")
  private Optional<Payload> payload = Optional.empty();

  @Option(
      names = "--signal-id",
      paramLabel = "ID",
      description = "Idempotency key of the signal. Default: a new one")
  private Optional<String> id = Optional.empty();

  NewSignal wire() {
    var signal =
        NewSignal.newBuilder()
            .setSignalId(id.orElseGet(() -> UUID.randomUUID().toString()))
            .setType(type);
    payload.ifPresent(signal::setPayload);
    return signal.build();
  }
}
