package dev.hapax.client;

import dev.hapax.client.internal.Timing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/** A clock that a pause advances, so that no test waits for it. */
final class PausedTiming implements Timing {

  final List<Duration> pauses = new CopyOnWriteArrayList<>();
  private final ManualTiming clock;
  private final Runnable onPause;

  PausedTiming(ManualTiming clock) {
    this(clock, () -> {});
  }

  PausedTiming(ManualTiming clock, Runnable onPause) {
    this.clock = clock;
    this.onPause = onPause;
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    return clock.after(delay, task);
  }

  @Override
  public Executor callbacks() {
    return clock.callbacks();
  }

  @Override
  public Executor listeners() {
    return clock.listeners();
  }

  @Override
  public void sleep(Duration pause) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    pauses.add(pause);
    clock.advance(pause);
    onPause.run();
  }
}
