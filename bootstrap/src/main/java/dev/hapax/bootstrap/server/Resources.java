package dev.hapax.bootstrap.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes resources in the reverse order of their start, even if one of them fails to close. */
final class Resources implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Resources.class);

  private record Part(String name, AutoCloseable closeable) {}

  private final Deque<Part> started = new ArrayDeque<>();

  /** Registers a started part for closing and returns it. */
  <T extends AutoCloseable> T keep(String name, T part) {
    started.push(new Part(name, part));
    return part;
  }

  /** Starts a timer, whose tasks end when it is closed. */
  ScheduledExecutorService startTimer(String name) {
    var timer =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name(name).factory());
    // an answered wait must not stay in the queue until its timeout
    timer.setRemoveOnCancelPolicy(true);
    keep(name, timer::shutdownNow);
    return timer;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      var part = started.pop();
      LOG.debug("closing {}", part.name());
      try {
        part.closeable().close();
      } catch (Exception e) {
        LOG.error("failed to close {}", part.name(), e);
      }
    }
  }
}
