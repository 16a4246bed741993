package dev.hapax.postgres.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** Statements that are sent in one round trip. */
public final class Pipeline {
  private static final int MAX_TEXTS = 1_000;
  private static final Map<List<String>, String> TEXTS = new ConcurrentHashMap<>();

  private final Connection connection;
  private final List<String> statements = new ArrayList<>();
  private final List<Object> parameters = new ArrayList<>();
  private final List<@Nullable Rows> readers = new ArrayList<>();

  public Pipeline(Connection connection) {
    this.connection = connection;
  }

  /** Adds a statement without rows, such as BEGIN. */
  public void add(String statement) {
    add(statement, List.of());
  }

  /** Adds a statement without rows. Parameters are scalars or {@link Column.Values}. */
  public void add(String statement, List<?> values) {
    append(statement, values, null);
  }

  /** Adds a query. Parameters are scalars or {@link Column.Values}. */
  public void query(String statement, List<?> values, Rows rows) {
    append(statement, values, rows);
  }

  /** Adds a write of {@link RenderedSql#exactly} for these rows; nothing if there are none. */
  public <R> void write(String statement, UnnestRows<R> sent, List<R> rows) {
    write(statement, sent, rows, _ -> {});
  }

  /** Adds a write of {@link RenderedSql#exactlyReturning} for these rows; nothing if none. */
  public <R> void write(String statement, UnnestRows<R> sent, List<R> rows, Rows reader) {
    if (!rows.isEmpty()) {
      var values = sent.parameters(rows);
      values.add((long) rows.size());
      query(statement, values, reader);
    }
  }

  /** Adds a write of {@link RenderedSql#exactly}; its last value is how many rows are expected. */
  public void write(String statement, List<?> values) {
    append(statement, values, _ -> {});
  }

  private void append(String statement, List<?> values, @Nullable Rows rows) {
    statements.add(statement);
    parameters.addAll(values);
    readers.add(rows);
  }

  boolean isEmpty() {
    return readers.isEmpty();
  }

  /** Sends the statements and reads their results. */
  public void run() throws SQLException {
    try (var statement = connection.prepareStatement(sql())) {
      run(statement);
    }
  }

  /** As {@link #run}, but with a new plan for the tables as they are; for rare statements. */
  public void runPlannedAnew() throws SQLException {
    try (var statement = connection.prepareStatement(sql())) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(0);
      run(statement);
    }
  }

  /**
   * The joined text, cached: the driver finds its prepared statements by the text of some
   * kilobytes, which is fast with the same instance.
   */
  private String sql() {
    var known = TEXTS.get(statements);
    if (known != null) {
      return known;
    }
    var text = String.join(";\n", statements);
    if (TEXTS.size() < MAX_TEXTS) {
      TEXTS.put(List.copyOf(statements), text);
    }
    return text;
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
    if (!(parameter instanceof Column.Values values)) {
      statement.setObject(index, parameter);
    } else if (values.elements() instanceof UUID[] uuids) {
      statement.setObject(index, new UuidArray(uuids));
    } else {
      statement.setArray(index, connection.createArrayOf(values.type(), values.elements()));
    }
  }

  /** Takes one row. */
  @FunctionalInterface
  public interface Rows {
    void read(ResultSet row) throws SQLException;
  }
}
