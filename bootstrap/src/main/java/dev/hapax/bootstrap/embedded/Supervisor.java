package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a postmaster running on one port, also when something kills it, until it is closed. */
final class Supervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
  private static final Duration RETRY = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

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
    var supervisor = new Supervisor(postmaster, startPatiently(postmaster));
    supervisor.watch(supervisor.process);
    return supervisor;
  }

  private static PostmasterFile startPatiently(Postmaster postmaster) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    var told = "";
    while (true) {
      try {
        return postmaster.start(FreePort.onLoopback());
      } catch (StartFailedException e) {
        if (e.remedy() == StartFailedException.Remedy.NONE || System.nanoTime() > deadline) {
          throw e;
        }
        told = tellOnce(told, "trying again: " + e.reason());
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(RETRY.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while PostgreSQL was started", e);
    }
  }

  int port() {
    return port;
  }

  private void watch(ProcessHandle running) {
    var _ =
        running
            .onExit()
            .thenRunAsync(
                () -> restart(running),
                task -> Thread.ofVirtual().name("postgres-watch").start(task));
  }

  private synchronized void restart(ProcessHandle ended) {
    if (closed) {
      return;
    }
    LOG.error("PostgreSQL (process {}) ended unexpectedly: starting it again", ended.pid());
    var told = "";
    while (!closed) {
      try {
        process = handle(postmaster.start(port));
        LOG.info("PostgreSQL serves again on port {}", port);
        watch(process);
        return;
      } catch (IOException e) {
        told = tellOnce(told, "trying again: " + reason(e));
        waitOrClose();
      }
    }
  }

  private static String reason(IOException e) {
    return e instanceof StartFailedException failure
        ? failure.reason()
        : String.valueOf(e.getMessage());
  }

  private static String tellOnce(String told, String message) {
    if (!message.equals(told)) {
      LOG.warn(message);
    }
    return message;
  }

  // gives the monitor up, so that close is not held up by a disk that stays full
  private void waitOrClose() {
    try {
      TimeUnit.MILLISECONDS.timedWait(this, RETRY.toMillis());
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
