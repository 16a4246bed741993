package dev.hapax.postgres.operation;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The statements that create and drop partitions of {@code operation_result}, on one connection
 * with the timeouts of maintenance. Lock timeouts are short: a reader such as a backup may keep its
 * locks for hours, and all writers queue behind a session that waits for an exclusive lock.
 */
record ResultPartitionTables(Connection connection) {
  private static final String PREFIX = "operation_result_";
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  private static final String DAYS =
      """
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'hapax.operation_result'::regclass
        AND c.relname ~ '^operation_result_[0-9]{8}$'
      """;

  private static final String CREATE = "SELECT hapax.create_result_partition(?)";
  private static final String DROP = "SELECT hapax.drop_result_partition(?)";

  LocalDate today() throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date")) {
      rows.next();
      return rows.getObject(1, LocalDate.class);
    }
  }

  /** The days that have a partition. */
  Set<LocalDate> days() throws SQLException {
    var days = new TreeSet<LocalDate>();
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(DAYS)) {
      while (rows.next()) {
        day(rows.getString(1)).ifPresent(days::add);
      }
    }
    return days;
  }

  /** Creates the partition of this day. Another node may do the same at the same time. */
  void create(LocalDate day) throws SQLException {
    try {
      call(CREATE, day);
    } catch (SQLException e) {
      if (!days().contains(day)) {
        throw e;
      }
    }
  }

  /** Drops the partition of this day, which must be over. */
  void drop(LocalDate day) throws SQLException {
    try {
      call(DROP, day);
    } catch (SQLException e) {
      if (days().contains(day)) {
        throw e;
      }
    }
  }

  /** A table of another kind may be named like a partition. */
  private static Optional<LocalDate> day(String name) {
    try {
      return Optional.of(LocalDate.parse(name.substring(PREFIX.length()), DAY));
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }

  /** Calls a function that runs with the rights of the owner of the tables. */
  private void call(String function, LocalDate day) throws SQLException {
    try (var statement = connection.prepareStatement(function)) {
      statement.setObject(1, day);
      statement.execute();
    }
  }
}
