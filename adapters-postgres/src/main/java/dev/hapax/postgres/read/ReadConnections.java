package dev.hapax.postgres.read;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Opens the connections of reads. */
public final class ReadConnections {
  private static final int VALIDATION_MILLIS = 1_000;

  private ReadConnections() {}

  /**
   * Opens a pool.
   *
   * @param begin a statement that begins each session
   */
  public static HikariDataSource pool(
      String name, HikariConfig address, int connections, String begin) {
    var config = new HikariConfig();
    address.copyStateTo(config);
    config.setPoolName(name);
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    config.setValidationTimeout(VALIDATION_MILLIS);
    config.setInitializationFailTimeout(-1);
    config.setConnectionInitSql("SET TimeZone = 'UTC'; SET statement_timeout = '10s'; " + begin);
    return new HikariDataSource(config);
  }
}
