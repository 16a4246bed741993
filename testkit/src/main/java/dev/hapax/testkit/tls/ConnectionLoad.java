package dev.hapax.testkit.tls;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Calls without a pause: over one connection, and over a new connection for each call. */
public final class ConnectionLoad implements AutoCloseable {
  private static final int CALLERS = 2;

  private final Supplier<LoadedConnection> connect;
  private final AtomicLong calls = new AtomicLong();
  private final ConcurrentLinkedQueue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
  private final CountDownLatch begun = new CountDownLatch(2 * CALLERS);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile boolean stopped;

  private ConnectionLoad(Supplier<LoadedConnection> connect) {
    this.connect = connect;
  }

  /** A connection to the server. */
  public interface LoadedConnection extends AutoCloseable {
    /** Makes a call, or throws its error. */
    void call();

    @Override
    void close();
  }

  /** Returns when every caller has called. */
  public static ConnectionLoad start(Supplier<LoadedConnection> connect)
      throws InterruptedException {
    var load = new ConnectionLoad(connect);
    for (var caller = 0; caller < CALLERS; caller++) {
      load.threads.execute(load::overOneConnection);
      load.threads.execute(load::overNewConnections);
    }
    if (!load.begun.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no calls: " + load.failures);
    }
    return load;
  }

  private void overOneConnection() {
    try (var connection = connect.get()) {
      call(connection);
      begun.countDown();
      while (!stopped) {
        call(connection);
      }
    }
  }

  private void overNewConnections() {
    do {
      try (var connection = connect.get()) {
        call(connection);
      }
      begun.countDown();
    } while (!stopped);
  }

  private void call(LoadedConnection connection) {
    try {
      connection.call();
      calls.incrementAndGet();
    } catch (RuntimeException e) {
      failures.add(e);
    }
  }

  public long calls() {
    return calls.get();
  }

  public List<RuntimeException> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    stopped = true;
    threads.close();
  }
}
