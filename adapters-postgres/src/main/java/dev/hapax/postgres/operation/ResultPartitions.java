package dev.hapax.postgres.operation;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of {@code operation_result}: one for each day on which rows may go, made when it
 * is first needed. Neither making nor dropping one holds up those who read and write.
 */
public final class ResultPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(ResultPartitions.class);
  private static final String PREFIX = "operation_result_";
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  /** Nodes make and drop partitions one at a time. The number is arbitrary and stays. */
  private static final long LOCK = 4_217_001L;

  private static final String ATTACHED =
      """
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'hapax.operation_result'::regclass
      """;
  private static final String DETACHING = ATTACHED + " AND i.inhdetachpending";
  private static final String TABLES =
      """
      SELECT c.relname FROM pg_class c
      WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind = 'r'
        AND c.relname ~ '^operation_result_[0-9]{8}$'
      """;
  private static final String DETACH =
      "ALTER TABLE hapax.operation_result DETACH PARTITION hapax.%s ";

  private final DataSource database;
  private final Set<LocalDate> known = ConcurrentHashMap.newKeySet();

  /** {@code database} makes connections that wait as long as it takes. */
  public ResultPartitions(DataSource database) {
    this.database = database;
  }

  /** Makes the partition of this day if nobody has. */
  void ensure(LocalDate day) {
    if (known.contains(day)) {
      return;
    }
    try (var connection = database.getConnection()) {
      make(connection, day);
      known.add(day);
    } catch (SQLException e) {
      throw new IllegalStateException("the partition of %s could not be made".formatted(day), e);
    }
  }

  /**
   * Makes what the next days need before they need it, and drops what nobody may ask for any more.
   */
  public void maintain() throws SQLException {
    try (var connection = database.getConnection()) {
      var today = today(connection);
      for (var ahead = 0; ahead <= 2; ahead++) {
        ensure(today.plusDays(ahead));
      }
      for (var day : days(connection, TABLES)) {
        if (day.isBefore(today)) {
          drop(connection, day);
        }
      }
    }
  }

  private static void make(Connection connection, LocalDate day) throws SQLException {
    locked(
        connection,
        () -> {
          if (!days(connection, ATTACHED).contains(day)) {
            execute(
                connection,
                "CREATE TABLE IF NOT EXISTS hapax.%s (LIKE hapax.operation_result INCLUDING CONSTRAINTS)",
                name(day));
            execute(
                connection,
                "ALTER TABLE hapax.operation_result ATTACH PARTITION hapax.%s FOR VALUES FROM ('%s') TO ('%s')",
                name(day),
                day,
                day.plusDays(1));
          }
        });
  }

  /** Also goes on with what a node began that died over it. */
  private void drop(Connection connection, LocalDate day) throws SQLException {
    known.remove(day);
    locked(
        connection,
        () -> {
          if (days(connection, DETACHING).contains(day)) {
            execute(connection, DETACH + "FINALIZE", name(day));
          } else if (days(connection, ATTACHED).contains(day)) {
            // waits for those who read it, and lets everybody pass meanwhile
            execute(connection, DETACH + "CONCURRENTLY", name(day));
          }
          execute(connection, "DROP TABLE IF EXISTS hapax.%s", name(day));
          LOG.info("dropped the answers that were kept until {}", day);
        });
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static void locked(Connection connection, Work work) throws SQLException {
    execute(connection, "SELECT pg_advisory_lock(%d)", LOCK);
    try {
      work.run();
    } finally {
      execute(connection, "SELECT pg_advisory_unlock(%d)", LOCK);
    }
  }

  private static String name(LocalDate day) {
    return PREFIX + DAY.format(day);
  }

  private static List<LocalDate> days(Connection connection, String query) throws SQLException {
    var days = new ArrayList<LocalDate>();
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      while (rows.next()) {
        days.add(LocalDate.parse(rows.getString(1).substring(PREFIX.length()), DAY));
      }
    }
    return days;
  }

  private static LocalDate today(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date")) {
      rows.next();
      return rows.getObject(1, LocalDate.class);
    }
  }

  private static void execute(Connection connection, String sql, Object... names)
      throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql.formatted(names));
    }
  }

  /** How many of the next days have their partition, as far as this node knows. */
  public int daysAhead() {
    var today = LocalDate.now(ZoneOffset.UTC);
    return (int)
        IntStream.iterate(1, ahead -> ahead + 1)
            .takeWhile(ahead -> known.contains(today.plusDays(ahead)))
            .count();
  }
}
