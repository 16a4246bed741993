package dev.hapax.domain.run;

import dev.hapax.domain.SourceHook;
import java.util.Optional;

/**
 * A signal in a run's inbox. Its payload is in the event of its arrival.
 *
 * @param version of that event, which orders the signals
 * @param hook the token through which it arrived; empty = it was sent to the run itself
 */
public record Signal(long version, String type, Optional<SourceHook> hook, boolean consumed) {
  Signal asConsumed() {
    return new Signal(version, type, hook, true);
  }
}
