package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.bootstrap.cli.call.SignalMessage;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.Payload;
import java.util.Optional;
import picocli.CommandLine.Option;

/** A signal that goes with a start. */
final class SignalOptions {
  @Option(
      names = "--signal-type",
      paramLabel = "TYPE",
      description =
          "Sends a signal along: to the run that is started, or with signal-existing to the"
              + " owner of the token. Default: to any step that waits for a signal")
  private String type = "";

  @Option(
      names = "--signal-payload",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "What it says. Default: nothing")
  private Optional<Payload> payload = Optional.empty();

  @Option(
      names = "--signal-id",
      paramLabel = "ID",
      description = "Names the signal: the same again changes nothing. Default: a new one")
  private Optional<String> id = Optional.empty();

  NewSignal wire() {
    return SignalMessage.wire(type, payload, id);
  }
}
