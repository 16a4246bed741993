package dev.hapax.postgres.operation;

import dev.hapax.domain.monitoring.Loop;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of {@code operation_result}, one for each day on which results expire. A
 * background thread creates them ahead of their use and drops them after their day; a step that
 * fails on a lock is retried. No batch waits for the thread: {@link #missing} returns a future
 * instead.
 */
public final class ResultPartitions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ResultPartitions.class);
  private static final Duration ROUND = Duration.ofMinutes(10);

  /** The pause before a missing partition is tried again, while commands wait for it. */
  private static final Duration RETRY = Duration.ofMillis(250);

  private final Loop loop = new Loop("result-partitions", ROUND, System::nanoTime);
  private final MaintenanceConnections connections;
  private final PartitionDays ahead = new PartitionDays();
  private final Set<LocalDate> known = ConcurrentHashMap.newKeySet();
  private final Map<LocalDate, CompletableFuture<Void>> requested = new ConcurrentHashMap<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("result-partitions").factory());
  private final AtomicBoolean createRequested = new AtomicBoolean();
  private boolean createFailing;
  private boolean dropFailing;

  /** Creates missing partitions on request; maintains them only after {@link #start}. */
  public ResultPartitions(MaintenanceConnections connections) {
    this.connections = connections;
  }

  /** Maintains the partitions now and every ten minutes. */
  public void start() {
    var _ =
        thread.scheduleWithFixedDelay(this::maintain, 0, ROUND.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Creates the partitions that will be needed, and drops those of days that are over. */
  public void maintain() {
    var isCreated = create();
    loop.ended(drop() && isCreated);
  }

  public Loop loop() {
    return loop;
  }

  /** Whether rows can be written for this day, as far as is known. Called for each result. */
  boolean exists(LocalDate day) {
    ahead.use(day);
    return known.contains(day);
  }

  /**
   * Requests these days, and completes when rows can be written for the first one; may never
   * complete. Does not block.
   */
  CompletableFuture<Void> missing(Collection<LocalDate> days) {
    var created =
        days.stream()
            .map(day -> requested.computeIfAbsent(day, _ -> new CompletableFuture<>()))
            .toList();
    requestCreate(Duration.ZERO);
    return created.getFirst();
  }

  /** Requests one creation at a time, so that many batches do not wait for the same lock. */
  private void requestCreate(Duration delay) {
    if (createRequested.compareAndSet(false, true)) {
      var _ =
          thread.schedule(
              () -> {
                createRequested.set(false);
                create();
              },
              delay.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  private synchronized boolean create() {
    try (var connection = connections.open()) {
      var tables = new ResultPartitionTables(connection);
      var attached = tables.days();
      known.retainAll(attached);
      attached.forEach(this::created);
      var days = new LinkedHashSet<>(requested.keySet());
      days.addAll(ahead.of(tables.today()));
      days.removeAll(attached);
      create(tables, days);
      if (createFailing) {
        createFailing = false;
        LOG.info("partitions of operation_result can be created again");
      }
      return true;
    } catch (SQLException | RuntimeException | Error e) {
      creationFailed(e);
      return false;
    }
  }

  /** Creates every day that it can, then throws the first failure. */
  private void create(ResultPartitionTables tables, Set<LocalDate> days) throws SQLException {
    @Nullable SQLException first = null;
    for (var day : days) {
      try {
        tables.create(day);
        created(day);
      } catch (SQLException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  private void created(LocalDate day) {
    known.add(day);
    var awaited = requested.remove(day);
    if (awaited != null) {
      awaited.complete(null);
    }
  }

  private void creationFailed(Throwable cause) {
    if (thread.isShutdown()) {
      return;
    }
    if (!createFailing) {
      createFailing = true;
      LOG.warn(
          "a partition of operation_result cannot be created now, will retry: {}; results that are"
              + " kept until another day than usual wait for it",
          cause.getMessage());
    }
    if (!requested.isEmpty()) {
      requestCreate(RETRY);
    }
  }

  private synchronized boolean drop() {
    try (var connection = connections.open()) {
      var tables = new ResultPartitionTables(connection);
      var today = tables.today();
      for (var day : tables.days()) {
        if (day.isBefore(today)) {
          tables.drop(day);
          LOG.info("dropped the results that were kept until {}", day);
        }
      }
      dropFailing = false;
      return true;
    } catch (SQLException | RuntimeException | Error e) {
      if (!dropFailing && !thread.isShutdown()) {
        dropFailing = true;
        LOG.info(
            "old results are not dropped yet, will retry every {} minutes: {}",
            ROUND.toMinutes(),
            e.getMessage());
      }
      return false;
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  /** The number of next days with a partition, as far as this node knows. */
  public int daysAhead() {
    var today = LocalDate.now(ZoneOffset.UTC);
    return (int)
        IntStream.iterate(1, ahead -> ahead + 1)
            .takeWhile(ahead -> known.contains(today.plusDays(ahead)))
            .count();
  }
}
