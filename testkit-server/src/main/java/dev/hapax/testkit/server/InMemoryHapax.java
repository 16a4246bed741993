package dev.hapax.testkit.server;

import dev.hapax.domain.run.TaskClaim;
import dev.hapax.testkit.SettableClock;
import io.grpc.ManagedChannel;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Hapax in the JVM of a test, whose time stands still until the test moves it: 14 days pass in a
 * few milliseconds, and no test sleeps.
 *
 * <pre>{@code
 * try (InMemoryHapax hapax = InMemoryHapax.start();
 *     Worker worker =
 *         HapaxClient.on(hapax.channel())
 *             .newWorker()
 *             .clock(hapax.clock())
 *             .workflow("orders", "order", "main", Codec.text(), new OrderWorkflow(warehouse))
 *             .start()) {
 *   HapaxClient client = HapaxClient.on(hapax.channel());
 *   client.definitions().register(RunDefinition.of("order", "1").code("main", "orders"));
 *   Runs runs = client.runs();
 *   String run = runs.start(RunRequest.of("order")).getRun().getId();
 *
 *   hapax.advance(Duration.ofDays(14)); // what the workflow sleeps
 *
 *   assertEquals("shipped", runs.result(run, Codec.text(), Duration.ofSeconds(10)));
 * }
 * }</pre>
 *
 * <p>The services are those of the server: operations, definitions, runs, workers, hooks,
 * lifecycles, entities and janitors decide here as they do there. Its clock begins at
 * 2026-01-01T00:00:00Z. {@link #advance} stops at every instant at which something is due, in
 * order, and goes on when the workers have done what they can do at that instant. So a workflow
 * that sleeps, retries and waits for signals meets the same times in every run of the test,
 * whatever the threads do.
 *
 * <p>What follows the clock: sleeps and timers, timeouts of signals, {@code startAt}, pauses before
 * retries, leases, retentions and times to live; a hosted janitor takes an entity back as soon as
 * its lease has ended, whatever {@code every} says. What does not: how long a call waits for its
 * answer ({@code Runs.await}, a worker's poll). That is measured in real time, as its deadline is,
 * and a call that waits is answered as soon as there is an answer.
 *
 * <p>What it does not show: there is no database and no network. Nothing outlives {@link #close},
 * so crashes and restarts of the server, two servers on one database, lost answers and limits of
 * the transport (the size of a message, TLS) are to be tried on {@code hapax serve}. Runs that have
 * ended are never removed. Nor does it say how fast Hapax is: it looks through all of its records
 * for every question, which is fine for hundreds of them. It needs Java 25.
 *
 * <p>Thread-safe: workers and callers may use the channel while the test moves the time. An
 * instance is cheap; use one for each test.
 */
public final class InMemoryHapax implements AutoCloseable {
  private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

  private final SettableClock time = new SettableClock(BEGINNING);
  private final TestClock clock = new TestClock(time);
  private final Services services = new Services(time);
  private final Endpoint endpoint = Endpoint.of(services.all());
  private final RunActivity runs = new RunActivity(services, time);
  private final Quiescence calm = new Quiescence(runs::now, services::tick, RealTime.SYSTEM);

  private InMemoryHapax() {}

  /** An empty one, ready for calls. */
  public static InMemoryHapax start() {
    return new InMemoryHapax();
  }

  /** How to call it. It is shut down by {@link #close}. */
  public ManagedChannel channel() {
    return endpoint.channel();
  }

  /** The time as Hapax sees it, for {@code WorkerBuilder.clock} and for the code under test. */
  public Clock clock() {
    return clock;
  }

  /**
   * Waits until the workers have nothing to do at the present time: no task is held, and none that
   * could be taken lies in a queue that a worker polls. A task in a queue that nobody polls is
   * waited for only once in each queue, for 5 s, in case its worker is about to begin; so start
   * workers first.
   *
   * <p>Not to be called by a handler: it would wait for itself.
   *
   * @throws IllegalStateException if after 30 s a task is still held, or the thread is interrupted
   */
  public synchronized void settle() {
    calm.await(_ -> false);
  }

  /**
   * Moves the time on, from instant to instant at which something is due; before and after each it
   * waits as {@link #settle} does. When it returns, all that became due was decided, and the
   * workers have done what followed from it.
   *
   * <p>It waits for tasks, not for claimed entities: an action that is under way on another thread
   * ({@code Claims.run}) is taken for one whose holder is gone when the time passes the end of its
   * lease. Move the time between actions, or by less than their leases.
   *
   * @param by zero or more
   * @throws IllegalStateException as {@link #settle}; the time then stands where that was
   */
  public synchronized void advance(Duration by) {
    move(by, _ -> false);
  }

  /**
   * As {@link #advance}, but does not wait for the tasks that are held now: so their leases end
   * when their time has come, unless heartbeats renew them, as if their workers had died or hung.
   */
  public synchronized void advancePastHolders(Duration by) {
    move(by, runs.held()::contains);
  }

  private void move(Duration by, Predicate<TaskClaim> left) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("time does not go back: " + by);
    }
    var end = time.instant().plus(by);
    calm.await(left);
    while (time.instant().isBefore(end)) {
      time.set(nextStop(end));
      services.tick();
      calm.await(left);
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

  /** Ends it with all it holds; calls that wait are answered or fail as UNAVAILABLE. */
  @Override
  public void close() {
    services.stopWaiting();
    endpoint.close();
    services.close();
  }
}
