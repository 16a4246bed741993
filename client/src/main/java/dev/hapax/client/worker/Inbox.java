package dev.hapax.client.worker;

import dev.hapax.client.run.AwaitedSignal;
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

  /** Takes the oldest that matches. */
  Optional<Signal> take(AwaitedSignal awaited) {
    Optional<Signal> first = signals.stream().filter(awaited::matches).findFirst();
    first.ifPresent(signals::remove);
    return first;
  }
}
