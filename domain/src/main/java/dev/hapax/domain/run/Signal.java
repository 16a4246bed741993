package dev.hapax.domain.run;

import dev.hapax.domain.SourceHook;
import java.util.Optional;

/**
 * A signal in a run's inbox. What it says is in the event of its arrival.
 *
 * @param version of that event; signals are ordered by it
 * @param hook the token through which it arrived; empty = it was sent to the run itself
 */
public record Signal(long version, String type, Optional<SourceHook> hook, boolean consumed) {
  Signal used() {
    return new Signal(version, type, hook, true);
  }
}
