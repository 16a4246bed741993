package dev.hapax.postgres.read;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.read.ReadExecutor.LastRead;
import dev.hapax.postgres.schema.SessionRoles;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The connections of reads, in lanes that do not wait for one another: neither calls nor a slow
 * count of the backlog delay timers, and none of them delays the revocation of API keys.
 */
public final class ReadLanes implements AutoCloseable {
  /** Of these {@link #keys} has one that is not taken from the reads of calls. */
  private static final int WIDE = 3;

  private final HikariDataSource callPool;
  private final HikariDataSource widePool;
  private final ReadExecutor calls;
  private final WideReads timers;
  private final WideReads scans;
  private final WideReads keys;

  /**
   * Opens the pools; sends no query.
   *
   * @param fence of answers from the memory of this server
   * @param connections for calls, timers and scans; the API keys have another one
   */
  public ReadLanes(HikariConfig address, DatabaseFence fence, int connections, SessionRoles roles) {
    var readers = readers(connections);
    callPool = ReadConnections.pool("reads", address, readers, roles.beginRuntime());
    widePool = ReadConnections.pool("wide reads", address, WIDE, roles.beginMaintenance());
    calls = new ReadExecutor(callPool, Optional.of(fence), readers);
    timers = new WideReads(new ReadExecutor(widePool, 1));
    scans = new WideReads(new ReadExecutor(widePool, 1));
    keys = new WideReads(new ReadExecutor(widePool, 1));
  }

  private static int readers(int connections) {
    return Math.max(1, connections - (WIDE - 1));
  }

  /** The most connections of both pools. */
  public static int most(int connections) {
    return readers(connections) + WIDE;
  }

  /** Reads for callers. */
  public ReadExecutor calls() {
    return calls;
  }

  /** Short reads of background work, such as due runs. */
  public WideReads timers() {
    return timers;
  }

  /** Reads that may take seconds, and that nothing waits for. */
  public WideReads scans() {
    return scans;
  }

  /** Reads of API keys. */
  public WideReads keys() {
    return keys;
  }

  /** The pool of the reads for callers. */
  public HikariDataSource callPool() {
    return callPool;
  }

  private List<ReadExecutor> executors() {
    return List.of(calls, timers.executor(), scans.executor(), keys.executor());
  }

  /** The read that ended last in any lane, if any has. */
  public Optional<LastRead> last() {
    return executors().stream()
        .flatMap(executor -> executor.last().stream())
        .max((a, b) -> Long.signum(a.endedNanos() - b.endedNanos()));
  }

  /** The number of reads that wait for a thread. */
  public int queued() {
    return executors().stream().mapToInt(ReadExecutor::queued).sum();
  }

  @Override
  public void close() {
    executors().forEach(ReadExecutor::close);
    Stream.of(callPool, widePool).forEach(HikariDataSource::close);
  }
}
