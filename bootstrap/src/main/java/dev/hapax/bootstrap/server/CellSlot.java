package dev.hapax.bootstrap.server;

import dev.hapax.bootstrap.config.CellTarget;
import dev.hapax.bootstrap.config.ConfigurationException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A configured cell: a thread opens it, and tries again until that succeeds. A cell whose database
 * refuses the server is opened anew, since the server must forget what it knows of it.
 */
final class CellSlot implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CellSlot.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final CellTarget target;
  private final Opening opening;
  private final CountDownLatch tried = new CountDownLatch(1);
  private final Semaphore refused = new Semaphore(0);
  private final Thread thread;
  private volatile Optional<OpenCell> open = Optional.empty();
  private volatile String problem = "is being opened";

  // guarded by this
  private boolean closed;

  /** Checks and opens a cell; starts its background work. */
  @FunctionalInterface
  interface Opening {
    OpenCell open(CellTarget target) throws IOException, SQLException, ConfigurationException;
  }

  /** Starts to open a cell. */
  CellSlot(CellTarget target, Opening opening) {
    this.target = target;
    this.opening = opening;
    this.thread = Thread.ofPlatform().daemon().name("cell-" + target.name()).start(this::open);
  }

  private void open() {
    try {
      while (true) {
        for (var pause = FIRST_PAUSE; !tryOnce(); pause = longer(pause)) {
          TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
        awaitRefusal();
        take().ifPresent(this::closeRefused);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration longer(Duration pause) {
    return pause.compareTo(PAUSE.dividedBy(2)) < 0 ? pause.multipliedBy(2) : PAUSE;
  }

  private boolean tryOnce() {
    try {
      opened(opening.open(target));
      return true;
    } catch (IOException | SQLException | ConfigurationException | RuntimeException | Error e) {
      failed(String.valueOf(e.getMessage()));
      return false;
    } finally {
      tried.countDown();
    }
  }

  /** A cell that was closed may still release a permit. */
  private void awaitRefusal() throws InterruptedException {
    do {
      refused.acquire();
    } while (open.flatMap(OpenCell::refusal).isEmpty());
  }

  /** Takes the cell away from further calls, for the one that closes it. */
  private synchronized Optional<OpenCell> take() {
    var taken = open;
    open = Optional.empty();
    return taken;
  }

  private void closeRefused(OpenCell cell) {
    problem = cell.refusal().orElseThrow();
    LOG.info("cell {} is opened again: {}", target.name(), problem);
    cell.stopWaiting();
    cell.close();
  }

  private void opened(OpenCell cell) {
    synchronized (this) {
      if (!closed) {
        open = Optional.of(cell);
        LOG.info("cell {} is open: {}", target.name(), target.target());
        cell.onRefused(refused::release);
        return;
      }
    }
    cell.close();
  }

  /** Logs a reason once, until another one follows. */
  private void failed(String reason) {
    if (!reason.equals(problem)) {
      problem = reason;
      LOG.warn(
          "cell {} is not usable, retrying up to every {} s: {}: {}",
          target.name(),
          PAUSE.toSeconds(),
          target.target(),
          reason);
    }
  }

  /** Waits until the cell was tried once. */
  void awaitTry(Duration atMost) throws InterruptedException {
    var _ = tried.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  CellTarget target() {
    return target;
  }

  /** The cell; empty = it was not opened yet. */
  Optional<OpenCell> cell() {
    return open;
  }

  /** Why the calls of the cell are not answered, if so. */
  Optional<String> problem() {
    var cell = open;
    return cell.isPresent() ? cell.get().problem() : Optional.of(problem);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    thread.interrupt();
    take().ifPresent(OpenCell::close);
  }
}
