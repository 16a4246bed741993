package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a postmaster running on one port: restarts it when it exits, until it is closed. */
final class Supervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);

  /** The pause between two checks of the process, and between two attempts to start it. */
  private static final Duration PAUSE = Duration.ofMillis(200);

  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

  private final Postmaster postmaster;
  private ProcessHandle process;
  private final int port;
  private boolean closed;

  private Supervisor(Postmaster postmaster, PostmasterFile running) {
    this.postmaster = postmaster;
    this.process = handle(running);
    this.port = running.port();
  }

  static Supervisor start(Postmaster postmaster) throws IOException {
    var supervisor = new Supervisor(postmaster, startWithRetry(postmaster));
    supervisor.watch(supervisor.process);
    return supervisor;
  }

  private static PostmasterFile startWithRetry(Postmaster postmaster) throws IOException {
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    var logged = "";
    while (true) {
      try {
        return postmaster.start(FreePort.onLoopback());
      } catch (StartFailedException e) {
        if (e.remedy() == StartFailedException.Remedy.NONE || System.nanoTime() > deadline) {
          throw e;
        }
        logged = logOnce(logged, "retrying: " + e.reason());
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while PostgreSQL was started", e);
    }
  }

  int port() {
    return port;
  }

  /**
   * Polls: {@link ProcessHandle#onExit} notices the exit of a process that is no child late by up
   * to 5 s.
   */
  private void watch(ProcessHandle running) {
    Thread.ofVirtual().name("postgres-watch").start(() -> restartAfter(running));
  }

  private void restartAfter(ProcessHandle running) {
    try {
      while (running.isAlive()) {
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return;
    }
    restart(running);
  }

  private synchronized void restart(ProcessHandle ended) {
    if (closed) {
      return;
    }
    LOG.error("PostgreSQL (process {}) exited unexpectedly, restarting it", ended.pid());
    var logged = "";
    while (!closed) {
      try {
        process = handle(postmaster.start(port));
        LOG.info("PostgreSQL is available again on port {}", port);
        watch(process);
        return;
      } catch (IOException e) {
        logged = logOnce(logged, "retrying: " + reason(e));
        waitOrClose();
      }
    }
  }

  private static String reason(IOException e) {
    return e instanceof StartFailedException failure
        ? failure.reason()
        : String.valueOf(e.getMessage());
  }

  private static String logOnce(String logged, String message) {
    if (!message.equals(logged)) {
      LOG.warn(message);
    }
    return message;
  }

  // releases the monitor, so that close does not wait while the disk stays full
  private void waitOrClose() {
    try {
      TimeUnit.MILLISECONDS.timedWait(this, PAUSE.toMillis());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    notifyAll();
    postmaster.stop(process);
  }

  private static ProcessHandle handle(PostmasterFile file) {
    return ProcessHandle.of(file.pid()).orElseThrow();
  }
}
