package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells whether another node, or this one before its start, may recently have served a poll that
 * this node does not know. Callers retry a poll within moments or never.
 */
public final class RecentRemoteActivity {
  private static final Duration MEMORY = Duration.ofMinutes(2);
  private final LongSupplier nanoTime;
  private volatile long lastNanos;

  public RecentRemoteActivity() {
    this(System::nanoTime);
  }

  RecentRemoteActivity(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.lastNanos = nanoTime.getAsLong();
  }

  /** Records a commit of another node. */
  public void recorded() {
    lastNanos = nanoTime.getAsLong();
  }

  public boolean mayHaveServed() {
    return nanoTime.getAsLong() - lastNanos < MEMORY.toNanos();
  }
}
