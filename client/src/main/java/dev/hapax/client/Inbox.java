package dev.hapax.client;

import dev.hapax.v1.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The signals that an execution was given and has not dealt with. */
final class Inbox {

  private final List<Signal> signals;

  Inbox(List<Signal> signals) {
    this.signals = new ArrayList<>(signals);
  }

  /** Takes the oldest that matches: without a type a signal matches each, and each matches any. */
  Optional<Signal> take(String type) {
    Optional<Signal> first =
        signals.stream()
            .filter(s -> type.isEmpty() || s.getType().isEmpty() || s.getType().equals(type))
            .findFirst();
    first.ifPresent(signals::remove);
    return first;
  }
}
