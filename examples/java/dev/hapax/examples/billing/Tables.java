package dev.hapax.examples.billing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The database of a module. */
record Tables(DataSource database) {

  /** What is written together, or not at all: what throws is not committed. */
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  <T> T inOneTransaction(Work<T> work) throws SQLException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      var result = work.on(connection);
      connection.commit();
      return result;
    }
  }

  /** How many rows it has changed. */
  static int update(Connection connection, String sql, Object... values) throws SQLException {
    try (var statement = prepared(connection, sql, values)) {
      return statement.executeUpdate();
    }
  }

  static boolean exists(Connection connection, String query, Object... values)
      throws SQLException {
    try (var statement = prepared(connection, query, values);
        var rows = statement.executeQuery()) {
      return rows.next();
    }
  }

  private static PreparedStatement prepared(Connection connection, String sql, Object... values)
      throws SQLException {
    var statement = connection.prepareStatement(sql);
    for (var i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
