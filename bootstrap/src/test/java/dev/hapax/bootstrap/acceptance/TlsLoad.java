package dev.hapax.bootstrap.acceptance;

import dev.hapax.testkit.tls.TestCertificates;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Calls without a pause: over one connection, and over a new connection for each call. */
final class TlsLoad implements AutoCloseable {
  private static final int CALLERS = 2;

  private final int port;
  private final TestCertificates trusted;
  private final AtomicLong calls = new AtomicLong();
  private final ConcurrentLinkedQueue<StatusRuntimeException> failures =
      new ConcurrentLinkedQueue<>();
  private final CountDownLatch begun = new CountDownLatch(2 * CALLERS);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile boolean stopped;

  private TlsLoad(int port, TestCertificates trusted) {
    this.port = port;
    this.trusted = trusted;
  }

  /** Returns when every caller has called. */
  static TlsLoad start(int port, TestCertificates trusted) throws InterruptedException {
    var load = new TlsLoad(port, trusted);
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
    var channel = channel();
    call(channel);
    begun.countDown();
    while (!stopped) {
      call(channel);
    }
    channel.shutdownNow();
  }

  private void overNewConnections() {
    do {
      var channel = channel();
      call(channel);
      channel.shutdownNow();
      begun.countDown();
    } while (!stopped);
  }

  private void call(ManagedChannel channel) {
    try {
      var _ =
          HealthGrpc.newBlockingStub(channel)
              .withDeadlineAfter(30, TimeUnit.SECONDS)
              .check(HealthCheckRequest.getDefaultInstance());
      calls.incrementAndGet();
    } catch (StatusRuntimeException e) {
      failures.add(e);
    }
  }

  private ManagedChannel channel() {
    try {
      var roots = new ByteArrayInputStream(trusted.pem().getBytes(StandardCharsets.US_ASCII));
      var credentials = TlsChannelCredentials.newBuilder().trustManager(roots).build();
      return Grpc.newChannelBuilderForAddress("127.0.0.1", port, credentials).build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long calls() {
    return calls.get();
  }

  List<StatusRuntimeException> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    stopped = true;
    threads.close();
  }
}
