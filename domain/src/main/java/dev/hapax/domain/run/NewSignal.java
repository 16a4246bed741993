package dev.hapax.domain.run;

import dev.hapax.domain.Payload;
import dev.hapax.domain.SourceHook;
import java.util.Optional;

/** A signal that a caller sends. */
public record NewSignal(String id, String type, Optional<Payload> payload) {
  /** The command that sends this signal to a run. */
  public SignalRun to(RunId run, Actor actor) {
    return new SignalRun(new SignalId(run, id), type, Optional.empty(), payload, actor);
  }

  /** The command that sends this signal to the owner of a token. */
  public SignalRun through(SourceHook hook, RunId owner, Actor actor) {
    return new SignalRun(new SignalId(owner, id), type, Optional.of(hook), payload, actor);
  }

  public int size() {
    return payload.map(Payload::size).orElse(0);
  }
}
