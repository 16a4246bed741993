package dev.hapax.postgres;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens each connection with the password of that moment. */
record PasswordDataSource(PGSimpleDataSource source, DatabasePassword password)
    implements DataSource {
  @Override
  public Connection getConnection() throws SQLException {
    var current = password.current();
    return current.isEmpty()
        ? source.getConnection()
        : source.getConnection(source.getUser(), current.get());
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
