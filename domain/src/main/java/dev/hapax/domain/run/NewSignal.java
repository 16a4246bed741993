package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import java.util.Optional;

/** A signal to send. */
public record NewSignal(String id, String type, Optional<Payload> payload) {
  /** The same, sent to a run itself. */
  public SignalRun to(RunId run, Actor by) {
    return new SignalRun(new SignalId(run, id), type, Optional.empty(), payload, by);
  }

  /** The same, sent to the run that owns a token. */
  public SignalRun through(SourceHook hook, RunId owner, Actor by) {
    return new SignalRun(new SignalId(owner, id), type, Optional.of(hook), payload, by);
  }

  public int size() {
    return payload.map(Payload::size).orElse(0);
  }
}
