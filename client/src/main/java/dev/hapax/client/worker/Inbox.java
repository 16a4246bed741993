package dev.hapax.client.worker;

import dev.hapax.client.run.AwaitedSignal;
import dev.hapax.v1.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The signals of one execution that it has not consumed. */
final class Inbox {

  private final List<Signal> signals;

  Inbox(List<Signal> signals) {
    this.signals = new ArrayList<>(signals);
  }

  /** Removes the oldest signal that matches. */
  Optional<Signal> take(AwaitedSignal awaited) {
    Optional<Signal> first = signals.stream().filter(awaited::matches).findFirst();
    first.ifPresent(signals::remove);
    return first;
  }
}
