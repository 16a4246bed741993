package dev.hapax.domain.run;

/**
 * A signal in a run's inbox. What it says is in the event of its arrival.
 *
 * @param version of that event; signals are ordered by it
 */
public record Signal(long version, String type, boolean consumed) {
  Signal used() {
    return new Signal(version, type, true);
  }
}
