package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import java.util.Optional;

/** A signal to send. */
public record NewSignal(String id, String type, Optional<Payload> payload) {
  /** The same, sent to a run that exists. */
  public SignalRun to(RunId run, By by) {
    return new SignalRun(new SignalId(run, id), type, payload, by);
  }

  public int size() {
    return payload.map(Payload::size).orElse(0);
  }
}
