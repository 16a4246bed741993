package dev.hapax.testing;

import dev.hapax.client.Hapax;
import dev.hapax.test.v1.AdvanceRequest;
import dev.hapax.test.v1.AdvanceResponse;
import dev.hapax.test.v1.CreateInstanceRequest;
import dev.hapax.test.v1.CreateInstanceResponse;
import dev.hapax.test.v1.DeleteInstanceRequest;
import dev.hapax.test.v1.SettleRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An instance of Hapax for one test, with data and a clock of its own: 14 days pass in a few
 * milliseconds, and no test sleeps.
 *
 * <pre>{@code
 * try (TestHapax hapax = TestHapax.start();
 *     Worker worker = hapax.client().worker().add(ORDER).start()) {
 *   RunHandle<String> run = hapax.client().runs().start(ORDER, "4711", order);
 *
 *   hapax.advance(Duration.ofDays(14)); // what the workflow sleeps
 *
 *   assertEquals("shipped", run.result(Duration.ofSeconds(10)));
 * }
 * }</pre>
 *
 * <p>All instances of a JVM share one process, {@code hapax test-server}, which ends with the JVM.
 * The first {@link #start} finds it in this order:
 *
 * <ol>
 *   <li>{@code HAPAX_TEST_SERVER}: the address of a running one; then no process is started
 *   <li>{@code HAPAX_HOME}: a folder with the program {@code hapax}, which is a distribution or a
 *       checkout
 *   <li>{@code hapax} on the PATH
 * </ol>
 *
 * <p>The clock starts at 2026-01-01T00:00:00Z and moves only by {@link #advance}. These follow it:
 * sleeps and timers, signal timeouts, start times, retry pauses, leases, retentions and times to
 * live. The wait of a call and its deadline are measured in real time.
 *
 * <p>Limits: an instance has no database and no TLS, and its data is gone after {@link #close}.
 * Test crashes, restarts and transactions with {@code hapax serve}.
 *
 * <p>Thread-safe.
 */
public final class TestHapax implements AutoCloseable {

  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private final TestServerProcess server;
  private final CreateInstanceResponse created;
  private final Hapax client;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private volatile Instant now = BEGINNING;

  TestHapax(TestServerProcess server) {
    this.server = server;
    this.created =
        server.call(stub -> stub.createInstance(CreateInstanceRequest.getDefaultInstance()));
    this.client = Hapax.builder(Map.of()).server(created.getAddress()).plaintext().connect();
  }

  /**
   * Starts an empty instance, and before the first one of this JVM the test server. That takes a
   * second or two, and in a checkout without a build some minutes.
   *
   * @throws IllegalStateException if there is no test server, or it does not start; the message
   *     says what to do
   */
  public static TestHapax start() {
    return new TestHapax(TestServerProcess.ofThisJvm());
  }

  /** Returns a client of this instance in its default workspace, which {@link #close} closes. */
  public Hapax client() {
    return client;
  }

  /** Returns the address, such as {@code 127.0.0.1:43211}: without TLS and without API keys. */
  public String address() {
    return created.getAddress();
  }

  /** Returns the time of the clock after the last {@link #advance} that returned. */
  public Instant now() {
    return now;
  }

  /**
   * Advances the clock, and stops at each time at which work is due: it continues when the workers
   * have done that work. When it returns, the workers are idle at the new time.
   *
   * <p>A handler must not call this, because it would wait for itself.
   *
   * @param by 0 to 3,650 days
   * @throws IllegalArgumentException if {@code by} is out of bounds
   * @throws IllegalStateException if a task is still held after 30 s of real time. The message
   *     names it, and the clock stays where it was then
   */
  public void advance(Duration by) {
    advance(by, false);
  }

  /**
   * Like {@link #advance}, but does not wait for the tasks that are held now: their leases expire,
   * unless they are renewed, as if their workers had crashed.
   */
  public void advancePastHolders(Duration by) {
    advance(by, true);
  }

  private void advance(Duration by, boolean pastHolders) {
    AdvanceRequest request =
        AdvanceRequest.newBuilder()
            .setInstance(created.getInstance())
            .setBy(
                com.google.protobuf.Duration.newBuilder()
                    .setSeconds(by.getSeconds())
                    .setNanos(by.getNano()))
            .setPastHolders(pastHolders)
            .build();
    AdvanceResponse response = server.call(stub -> stub.advance(request));
    now = Instant.ofEpochSecond(response.getNow().getSeconds(), response.getNow().getNanos());
  }

  /**
   * Waits until the workers are idle: no task is held, and none is ready in a queue that a worker
   * polls. A handler must not call this.
   *
   * @throws IllegalStateException as {@link #advance}
   */
  public void settle() {
    SettleRequest request = SettleRequest.newBuilder().setInstance(created.getInstance()).build();
    server.call(stub -> stub.settle(request));
  }

  /**
   * Closes the client, and deletes the instance with its data. Close the workers of a test before.
   */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      client.close();
      DeleteInstanceRequest request =
          DeleteInstanceRequest.newBuilder().setInstance(created.getInstance()).build();
      server.call(stub -> stub.deleteInstance(request));
    }
  }
}
