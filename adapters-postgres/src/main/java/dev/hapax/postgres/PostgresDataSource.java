package dev.hapax.postgres;

import dev.hapax.postgres.ledger.DatabaseOutage;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Opens each connection with the password of that moment, and with settings that a database or a
 * role may have changed.
 *
 * @param outage what a connection waits for, instead of failing: after failures a pool waits longer
 *     and longer before it tries again
 */
record PostgresDataSource(
    PGSimpleDataSource source, DatabasePassword password, Optional<DatabaseOutage> outage)
    implements DataSource {
  private static final Duration PATIENCE = Duration.ofHours(1);

  /**
   * With row_security off a query under a policy fails, and the timeout would end idle sessions of
   * a pool.
   */
  private static final String SETTINGS =
      "SET row_security = on; SET idle_session_timeout = 0; SET standard_conforming_strings = on";

  /** The check of the version, which says so, comes later. */
  private static final int OLDEST_WITH_SETTINGS = 14;

  @Override
  public Connection getConnection() throws SQLException {
    return outage.isPresent() ? connectAfter(outage.get()) : connect();
  }

  private Connection connectAfter(DatabaseOutage ends) throws SQLException {
    for (; ; ) {
      ends.awaitEnd(PATIENCE);
      var sentNanos = System.nanoTime();
      try {
        return connect();
      } catch (SQLException e) {
        ends.suspect(sentNanos, e);
      }
    }
  }

  private Connection connect() throws SQLException {
    var current = password.current();
    var connection =
        current.isEmpty()
            ? source.getConnection()
            : source.getConnection(source.getUser(), current.get());
    try {
      begin(connection);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private static void begin(Connection connection) throws SQLException {
    if (connection.getMetaData().getDatabaseMajorVersion() >= OLDEST_WITH_SETTINGS) {
      try (var statement = connection.createStatement()) {
        statement.execute(SETTINGS);
      }
    }
  }

  @Override
  public Connection getConnection(String user, String given) throws SQLException {
    return source.getConnection(user, given);
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return source.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {
    source.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) {
    source.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() {
    return source.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() {
    return source.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return source.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return source.isWrapperFor(type);
  }
}
