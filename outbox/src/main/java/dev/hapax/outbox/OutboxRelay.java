package dev.hapax.outbox;

import dev.hapax.client.Hapax;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the intents that an application posted in its own PostgreSQL database, by {@code
 * hapax_outbox.start_run} and the like, to Hapax. It has one thread, and looks every second for
 * intents of committed transactions. Any number of processes may run one for the same database: one
 * of them sends at a time, and another one continues when it fails.
 *
 * <pre>{@code
 * try (OutboxRelay relay = OutboxRelay.start(hapax, dataSource)) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Each intent takes effect once, also if a relay fails between the answer and the removal of the
 * intent: it is then sent again with the same key. Intents that name the same run, token or key are
 * sent in the order in which they were posted. Those that Hapax rejects for good are in {@code
 * hapax_outbox.failed()}. While Hapax or the database is unreachable, the relay retries with
 * growing pauses of 1 to 30 s.
 */
public final class OutboxRelay implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);
  private static final String SCRIPT = "outbox.sql";
  private static final String DEFAULT_WORKSPACE = "default";
  private static final int BATCH = 100;
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final DataSource database;
  private final Hapax hapax;
  private final String workspace;
  private final Thread thread;
  private final Semaphore nudges = new Semaphore(0);
  private final CountDownLatch closed = new CountDownLatch(1);

  // of the thread; zero = the last batch went well
  private Duration pause = Duration.ZERO;

  private OutboxRelay(Hapax hapax, DataSource database) {
    this.hapax = hapax;
    this.database = database;
    this.workspace = hapax.workspace().isEmpty() ? DEFAULT_WORKSPACE : hapax.workspace();
    this.thread = new Thread(this::run, "hapax-outbox-" + workspace);
    thread.setDaemon(true);
  }

  /**
   * Starts to send the intents of the workspace of this client.
   *
   * @param database with the schema of {@link #script}
   */
  public static OutboxRelay start(Hapax hapax, DataSource database) {
    OutboxRelay relay = new OutboxRelay(hapax, database);
    relay.thread.start();
    return relay;
  }

  /**
   * The SQL that creates the schema {@code hapax_outbox} with its functions in a database. For one
   * transaction; it may run again.
   */
  public static String script() {
    try (InputStream script =
        Objects.requireNonNull(OutboxRelay.class.getResourceAsStream(SCRIPT), SCRIPT)) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Looks for intents now instead of within a second. For callers who have just committed; if
   * another relay sends at the moment, that one finds the intent. No effect while Hapax is
   * unreachable.
   */
  public void nudge() {
    nudges.release();
  }

  /**
   * Sends no further batch, and waits until the answers of the current one are recorded. What is
   * left stays in the outbox. An interrupt ends the wait.
   */
  @Override
  public void close() {
    closed.countDown();
    nudges.release();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (closed.getCount() > 0) {
        sendOrPause();
      }
    } catch (InterruptedException e) {
      LOG.warn("the outbox relay of workspace {} was interrupted and ends", workspace);
    }
  }

  private void sendOrPause() throws InterruptedException {
    Throwable failure = null;
    boolean sent = false;
    try {
      Map<OutboxIntent, OutboxOutcome> outcomes = sendBatch();
      failure = firstCause(outcomes);
      sent = !outcomes.isEmpty();
    } catch (SQLException | RuntimeException e) {
      failure = e;
    }
    if (failure != null) {
      backOff(failure);
    } else {
      recovered();
      if (!sent) {
        var unused = nudges.tryAcquire(INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        nudges.drainPermits();
      }
    }
  }

  private Map<OutboxIntent, OutboxOutcome> sendBatch() throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      OutboxTable table = new OutboxTable(connection, workspace);
      List<OutboxIntent> due = table.lock() ? table.due(BATCH) : List.of();
      if (due.isEmpty()) {
        connection.rollback();
        return Map.of();
      }
      Map<OutboxIntent, OutboxOutcome> outcomes = send(due);
      table.record(outcomes);
      connection.commit();
      outcomes.forEach(OutboxRelay::logFailed);
      return outcomes;
    }
  }

  private Map<OutboxIntent, OutboxOutcome> send(List<OutboxIntent> intents) {
    Map<OutboxIntent, CompletableFuture<OutboxOutcome>> sent = new LinkedHashMap<>();
    for (OutboxIntent intent : intents) {
      sent.put(
          intent,
          hapax
              .async()
              .call(intent.call()::send)
              .handle((answer, error) -> OutboxOutcome.of(intent, error)));
    }
    Map<OutboxIntent, OutboxOutcome> outcomes = new LinkedHashMap<>();
    sent.forEach((intent, outcome) -> outcomes.put(intent, outcome.join()));
    return outcomes;
  }

  private static void logFailed(OutboxIntent intent, OutboxOutcome outcome) {
    if (outcome instanceof OutboxOutcome.Failed failed) {
      LOG.warn(
          "Hapax rejected the intent {} for good, see hapax_outbox.failed(): {}: {}",
          intent.ticket(),
          failed.reason(),
          failed.detail());
    }
  }

  private static @Nullable Throwable firstCause(Map<OutboxIntent, OutboxOutcome> outcomes) {
    for (OutboxOutcome outcome : outcomes.values()) {
      if (outcome instanceof OutboxOutcome.Undelivered undelivered) {
        return undelivered.cause();
      }
    }
    return null;
  }

  private void backOff(Throwable failure) throws InterruptedException {
    if (pause.isZero()) {
      pause = INTERVAL;
      LOG.warn(
          "the outbox of workspace {} is not sent, will retry every 1 to 30 s: {}",
          workspace,
          failure.toString());
    }
    var unused = closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  private void recovered() {
    if (!pause.isZero()) {
      LOG.info("the outbox of workspace {} is sent again", workspace);
      pause = Duration.ZERO;
    }
  }
}
