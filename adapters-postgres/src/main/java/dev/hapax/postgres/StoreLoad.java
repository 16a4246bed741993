package dev.hapax.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;

/**
 * The work of this process that waits for the database.
 *
 * @param commandsQueued commands that wait for a batch
 * @param readsQueued reads that wait for a thread
 * @param partitionDaysAhead how many of the next days have their partition of results
 */
public record StoreLoad(
    int commandsQueued, int readsQueued, Pool ledger, Pool reads, int partitionDaysAhead) {

  public List<Pool> pools() {
    return List.of(ledger, reads);
  }

  /**
   * Connections of one pool.
   *
   * @param max connections at most
   * @param active in use
   * @param waiting threads that wait for one
   */
  public record Pool(String name, int max, int active, int waiting) {
    static Pool of(String name, HikariDataSource source) {
      var pool = source.getHikariPoolMXBean();
      return new Pool(
          name,
          source.getMaximumPoolSize(),
          pool.getActiveConnections(),
          pool.getThreadsAwaitingConnection());
    }
  }
}
