package dev.hapax.application.waiting;

import java.time.Duration;

/**
 * Tells whether another node, or this one before its start, may recently have served a poll that
 * this node does not know. Callers retry a poll within moments or never.
 */
public final class RecentRemoteActivity {
  private static final Duration MEMORY = Duration.ofMinutes(2);
  private volatile long lastNanos = System.nanoTime();

  /** Records a commit of another node. */
  public void recorded() {
    lastNanos = System.nanoTime();
  }

  public boolean mayHaveServed() {
    return System.nanoTime() - lastNanos < MEMORY.toNanos();
  }
}
