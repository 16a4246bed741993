package dev.hapax.postgres.ledger;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** Statements that are sent to the database together and answered together. */
public final class Pipeline {
  private final Connection connection;
  private final StringBuilder sql = new StringBuilder(1024);
  private final List<Object> parameters = new ArrayList<>();
  private final List<@Nullable Rows> readers = new ArrayList<>();

  public Pipeline(Connection connection) {
    this.connection = connection;
  }

  /** Adds a statement without rows, such as BEGIN. */
  public void add(String statement) {
    append(statement, List.of(), null);
  }

  /** Adds a query. Parameters are scalars or {@link Column.Values}. */
  public void query(String statement, List<?> values, Rows rows) {
    append(statement, values, rows);
  }

  /** Adds a write of {@link Sql#exactly} for these rows; nothing if there are none. */
  public <R> void write(String statement, Sent<R> sent, List<R> rows) {
    if (!rows.isEmpty()) {
      var values = sent.parameters(rows);
      values.add((long) rows.size());
      write(statement, values);
    }
  }

  /** Adds a write of {@link Sql#exactly}; its last value is how many rows are expected. */
  public void write(String statement, List<?> values) {
    append(statement, values, _ -> {});
  }

  private void append(String statement, List<?> values, @Nullable Rows rows) {
    if (!sql.isEmpty()) {
      sql.append(";\n");
    }
    sql.append(statement);
    parameters.addAll(values);
    readers.add(rows);
  }

  boolean isEmpty() {
    return readers.isEmpty();
  }

  /** Sends everything and reads every answer. */
  public void run() throws SQLException {
    try (var statement = connection.prepareStatement(sql.toString())) {
      run(statement);
    }
  }

  /** As {@link #run}, but planned for the tables as they are now; for what is asked seldom. */
  public void runPlannedAnew() throws SQLException {
    try (var statement = connection.prepareStatement(sql.toString())) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(0);
      run(statement);
    }
  }

  private void run(PreparedStatement statement) throws SQLException {
    for (var i = 0; i < parameters.size(); i++) {
      bind(statement, i + 1, parameters.get(i));
    }
    statement.execute();
    for (var reader : readers) {
      if (reader != null) {
        try (var rows = statement.getResultSet()) {
          while (rows.next()) {
            reader.read(rows);
          }
        }
      }
      statement.getMoreResults();
    }
  }

  private void bind(PreparedStatement statement, int index, Object parameter) throws SQLException {
    if (parameter instanceof Column.Values values) {
      statement.setArray(index, array(values));
    } else {
      statement.setObject(index, parameter);
    }
  }

  private Array array(Column.Values values) throws SQLException {
    return connection.createArrayOf(values.type(), values.elements());
  }

  /** Takes one row. */
  @FunctionalInterface
  public interface Rows {
    void read(ResultSet row) throws SQLException;
  }
}
