package dev.hapax.application.waiting;

import java.time.Duration;

/**
 * Whether a poll this node does not know may have been answered elsewhere: by another node, or
 * before this one was started. Whoever polls sends a poll again within moments, or never.
 */
public final class RecentRemoteActivity {
  private static final Duration MEMORY = Duration.ofMinutes(2);
  private volatile long lastNanos = System.nanoTime();

  /** Another node has committed something. */
  public void seen() {
    lastNanos = System.nanoTime();
  }

  public boolean mayHaveServed() {
    return System.nanoTime() - lastNanos < MEMORY.toNanos();
  }
}
