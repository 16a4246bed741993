package dev.hapax.bootstrap.acceptance;

import java.util.concurrent.atomic.AtomicInteger;

/** A mover was killed. */
final class KilledMover extends Error {
  private static final long serialVersionUID = 1L;

  /** Kills a mover when it connects for this time. */
  static Runnable at(int connection) {
    var connections = new AtomicInteger();
    return () -> {
      if (connections.incrementAndGet() == connection) {
        throw new KilledMover();
      }
    };
  }
}
