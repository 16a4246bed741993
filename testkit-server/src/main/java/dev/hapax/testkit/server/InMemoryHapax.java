package dev.hapax.testkit.server;

import dev.hapax.domain.run.TaskClaim;
import dev.hapax.testkit.SettableClock;
import io.grpc.ManagedChannel;
import io.grpc.ServerServiceDefinition;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Hapax in the JVM of a test, with a clock that the test advances: 14 days pass in a few
 * milliseconds, and no test sleeps.
 *
 * <pre>{@code
 * try (InMemoryHapax hapax = InMemoryHapax.start();
 *     Hapax client = Hapax.builder(Map.of()).channel(hapax.channel()).connect();
 *     Worker worker = client.worker().add(ORDER).start()) {
 *   RunHandle<String> run = client.runs().start(ORDER, "4711", order);
 *
 *   hapax.advance(Duration.ofDays(14)); // the wait of the workflow
 *
 *   assertEquals("shipped", run.result(Duration.ofSeconds(10)));
 * }
 * }</pre>
 *
 * <p>The services are those of the server: operations, definitions, runs, workers, hooks,
 * lifecycles, entities and janitors make the same decisions. The clock starts at
 * 2026-01-01T00:00:00Z. {@link #advance} stops at every instant at which work is due, in order, and
 * continues when the workers have finished the work of that instant. So a workflow that sleeps,
 * retries and waits for signals has the same times in every run of the test, regardless of thread
 * scheduling.
 *
 * <p>These follow the clock: sleeps and timers, signal timeouts, {@code startAt}, retry pauses,
 * leases, retentions and times to live. A hosted janitor reverts an entity as soon as its lease
 * expires, regardless of {@code every}. These do not: the wait of a call ({@code Runs.await}, a
 * worker's poll) and its deadline. They are measured in real time, and a waiting call returns as
 * soon as its result is ready.
 *
 * <p>Limits: there is no database and no network, and no data outlives {@link #close}. So there are
 * no intents, and no completions in a transaction. Test these, crashes and restarts of the server,
 * two servers on one database, lost responses and transport limits (message size, TLS) with {@code
 * hapax serve}. Ended runs are never removed. Its speed says nothing about that of Hapax: every
 * read scans all records, which is fine for hundreds of them. It requires Java 25.
 *
 * <p>Thread-safe: workers and callers may use the channel while the test advances the clock. An
 * instance is cheap; use one for each test.
 */
public final class InMemoryHapax implements AutoCloseable {
  /** The first time of the clock, unless another is given. */
  public static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private final SettableClock time;
  private final TestClock clock;
  private final Services services;
  private final Endpoint endpoint;
  private final RunActivity runs;
  private final Quiescence quiescence;

  private InMemoryHapax(Instant beginning) {
    time = new SettableClock(beginning);
    clock = new TestClock(time);
    services = new Services(time);
    endpoint = Endpoint.of(services.all());
    runs = new RunActivity(services, time);
    quiescence = new Quiescence(runs::pending, services::tick, RealTime.SYSTEM);
  }

  /** Starts an empty instance at 2026-01-01T00:00:00Z. */
  public static InMemoryHapax start() {
    return start(BEGINNING);
  }

  /** Starts an empty instance. */
  public static InMemoryHapax start(Instant beginning) {
    return new InMemoryHapax(beginning);
  }

  /** Returns the services of this instance, for a server of the caller. */
  public List<ServerServiceDefinition> services() {
    return endpoint.services();
  }

  /** Returns the channel to this instance, which {@link #close} shuts down. */
  public ManagedChannel channel() {
    return endpoint.channel();
  }

  /** Returns the clock of this instance, for the code under test. */
  public Clock clock() {
    return clock;
  }

  /**
   * Waits until the workers are idle at the current time: no task is held, and no task is ready in
   * a queue that a worker polls. For a ready task in a queue without a poll, this waits 5 s for a
   * worker to start, only once for each queue; so start workers first.
   *
   * <p>A handler must not call this, because it would wait for itself.
   *
   * @throws IllegalStateException if a task is still held after 30 s, or the thread is interrupted
   */
  public synchronized void settle() {
    quiescence.await(_ -> false);
  }

  /**
   * Advances the clock through all instants at which work is due, and waits before and after each
   * as {@link #settle} does. When it returns, all due work is decided and the workers have finished
   * what followed.
   *
   * <p>It waits for tasks, not for claimed entities: the lease of an action in progress on another
   * thread ({@code Entities.act}) expires when the clock passes its end. Advance the clock between
   * actions, or by less than their leases.
   *
   * @param by zero or more
   * @throws IllegalStateException as {@link #settle}; the clock then stays at that instant
   */
  public synchronized void advance(Duration by) {
    move(by, _ -> false);
  }

  /**
   * Like {@link #advance}, but does not wait for the tasks that are held now: their leases expire,
   * unless heartbeats renew them, as if their workers had crashed or hung.
   */
  public synchronized void advancePastHolders(Duration by) {
    move(by, runs.held()::contains);
  }

  private void move(Duration by, Predicate<TaskClaim> ignored) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("by must not be negative (was " + by + ")");
    }
    var end = time.instant().plus(by);
    quiescence.await(ignored);
    while (time.instant().isBefore(end)) {
      time.set(nextStop(end));
      services.tick();
      quiescence.await(ignored);
    }
  }

  private Instant nextStop(Instant end) {
    var now = time.instant();
    return Stream.of(runs.nextDue(now), services.nextDue())
        .flatMap(Optional::stream)
        .filter(due -> due.isAfter(now) && due.isBefore(end))
        .min(Instant::compareTo)
        .orElse(end);
  }

  /** Stops the instance and discards its data; waiting calls return or fail as UNAVAILABLE. */
  @Override
  public void close() {
    services.stopWaiting();
    endpoint.close();
    services.close();
  }
}
