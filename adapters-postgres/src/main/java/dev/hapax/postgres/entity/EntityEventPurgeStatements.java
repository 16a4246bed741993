package dev.hapax.postgres.entity;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.cell.MovedWorkspaces;
import dev.hapax.postgres.entity.EntityEventPurge.HistoryEnd;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The statements of {@link EntityEventPurge}: all by primary key, and bounded. */
final class EntityEventPurgeStatements {
  /** The most events that one statement removes. */
  static final int AT_ONCE = 5_000;

  private static final int DELETIONS = 100;
  private static final int PAGE = 500;

  /**
   * A deletion is skipped for longer than any transaction that may not see it: one that creates the
   * entity meanwhile must collide with its events.
   */
  private static final String UNPURGED =
      String.format(
          Locale.ROOT,
          """
      SELECT workspace, lifecycle, id, version FROM hapax.entity_deletion
      WHERE NOT purged AND deleted_at < now() - interval '1 minute' AND %s
      ORDER BY deleted_at LIMIT %d
      """,
          MovedWorkspaces.excluded("entity_deletion"),
          DELETIONS);

  private static final String REMOVE =
      """
      DELETE FROM hapax.entity_event
      WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version = ANY (ARRAY(
        SELECT version FROM (
          SELECT version, at FROM hapax.entity_event
          WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version <= ? AND %s
          ORDER BY version LIMIT %d) first
        WHERE %s)) AND
      """
          + MovedWorkspaces.excluded("entity_event");

  /** Keeps the events of earlier deletions, which are few. */
  private static final String REMOVE_BEFORE =
      String.format(
          Locale.ROOT, REMOVE, "type <> " + EntityEventType.DELETED.code(), AT_ONCE, "true");

  /** In order of versions: behind an event that is too young, all are. */
  private static final String REMOVE_OLD =
      String.format(Locale.ROOT, REMOVE, "true", AT_ONCE, "at < now() - ? * interval '1 second'");

  private static final String PURGED =
      """
      UPDATE hapax.entity_deletion SET purged = true
      WHERE workspace = ? AND lifecycle = ? AND id = ? AND version = ? AND
      """
          + MovedWorkspaces.excluded("entity_deletion");

  /** Locks the deletions, so that no entity of their ids is created meanwhile. */
  private static final String FORGET =
      String.format(
          Locale.ROOT,
          """
      SELECT workspace, lifecycle, id, version FROM hapax.entity_deletion
      WHERE purged AND deleted_at < now() - ? * interval '1 second' AND %s
      ORDER BY deleted_at LIMIT %d FOR UPDATE SKIP LOCKED
      """,
          MovedWorkspaces.excluded("entity_deletion"),
          DELETIONS);

  private static final String FORGET_EVENTS =
      """
      DELETE FROM hapax.entity_event
      WHERE workspace = ? AND lifecycle = ? AND entity_id = ? AND version <= ?
        AND NOT EXISTS (SELECT 1 FROM hapax.entity WHERE workspace = ? AND lifecycle = ? AND id = ?)
      """;

  private static final String FORGET_DELETION =
      """
      DELETE FROM hapax.entity_deletion
      WHERE workspace = ? AND lifecycle = ? AND id = ? AND version = ?
      """;

  /** The next entities by key, and whether the first event of each is old enough to go. */
  private static final String SCAN =
      String.format(
          Locale.ROOT,
          """
      SELECT e.workspace, e.lifecycle, e.id, e.version - %d,
        first.version <= e.version - %d AND first.at < now() - ? * interval '1 second'
      FROM (SELECT workspace, lifecycle, id, version FROM hapax.entity
            WHERE (workspace, lifecycle, id) > (?, ?, ?) AND %s
            ORDER BY workspace, lifecycle, id LIMIT %d) e
        LEFT JOIN LATERAL (SELECT version, at FROM hapax.entity_event v
            WHERE v.workspace = e.workspace AND v.lifecycle = e.lifecycle AND v.entity_id = e.id
            ORDER BY version LIMIT 1) first ON true
      ORDER BY e.workspace, e.lifecycle, e.id
      """,
          EntityEventPurge.KEPT,
          EntityEventPurge.KEPT,
          MovedWorkspaces.excluded("entity"),
          PAGE);

  private final long retentionSeconds;

  EntityEventPurgeStatements(Duration retention) {
    this.retentionSeconds = retention.toSeconds();
  }

  /**
   * Some entities in order.
   *
   * @param old the entities that have events to remove
   * @param last where to continue; empty = these were the last
   */
  record Page(List<HistoryEnd> old, Optional<EntityId> last) {}

  record Forgotten(int deletions, int events) {}

  boolean lock(Connection connection, long key) throws SQLException {
    try (var statement = connection.prepareStatement("SELECT pg_try_advisory_lock(?)")) {
      statement.setLong(1, key);
      try (var row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  void unlock(Connection connection, long key) throws SQLException {
    try (var statement = connection.prepareStatement("SELECT pg_advisory_unlock(?)")) {
      statement.setLong(1, key);
      statement.execute();
    }
  }

  List<HistoryEnd> unpurged(Connection connection) throws SQLException {
    try (var statement = connection.prepareStatement(UNPURGED);
        var rows = statement.executeQuery()) {
      return until(rows);
    }
  }

  private static List<HistoryEnd> until(ResultSet rows) throws SQLException {
    var found = new ArrayList<HistoryEnd>();
    while (rows.next()) {
      found.add(
          HistoryEnd.of(rows.getString(1), rows.getString(2), rows.getString(3), rows.getLong(4)));
    }
    return found;
  }

  int removeBefore(Connection connection, HistoryEnd deletion) throws SQLException {
    return execute(
        connection, REMOVE_BEFORE, names(deletion), names(deletion), deletion.version() - 1);
  }

  int removeOld(Connection connection, HistoryEnd old) throws SQLException {
    return execute(connection, REMOVE_OLD, names(old), names(old), old.version(), retentionSeconds);
  }

  int purged(Connection connection, HistoryEnd deletion) throws SQLException {
    return execute(connection, PURGED, names(deletion), deletion.version());
  }

  /** Removes deletions that are old enough, with their events. */
  Forgotten forget(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try {
      var events = 0;
      var forgotten = old(connection);
      for (var deletion : forgotten) {
        events +=
            execute(
                connection, FORGET_EVENTS, names(deletion), deletion.version(), names(deletion));
        execute(connection, FORGET_DELETION, names(deletion), deletion.version());
      }
      connection.commit();
      return new Forgotten(forgotten.size(), events);
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private List<HistoryEnd> old(Connection connection) throws SQLException {
    try (var statement = connection.prepareStatement(FORGET)) {
      statement.setLong(1, retentionSeconds);
      try (var rows = statement.executeQuery()) {
        return until(rows);
      }
    }
  }

  Page page(Connection connection, Optional<EntityId> after) throws SQLException {
    var old = new ArrayList<HistoryEnd>();
    var last = Optional.<EntityId>empty();
    var number = 0;
    try (var statement = connection.prepareStatement(SCAN)) {
      statement.setLong(1, retentionSeconds);
      statement.setString(2, after.map(EntityId::workspace).map(Workspace::name).orElse(""));
      statement.setString(3, after.map(EntityId::lifecycle).orElse(""));
      statement.setString(4, after.map(EntityId::id).orElse(""));
      try (var rows = statement.executeQuery()) {
        while (rows.next()) {
          number++;
          var until =
              HistoryEnd.of(
                  rows.getString(1), rows.getString(2), rows.getString(3), rows.getLong(4));
          last = Optional.of(until.entity());
          if (rows.getBoolean(5)) {
            old.add(until);
          }
        }
      }
    }
    return new Page(old, number < PAGE ? Optional.empty() : last);
  }

  private static List<String> names(HistoryEnd until) {
    var entity = until.entity();
    return List.of(entity.workspace().name(), entity.lifecycle(), entity.id());
  }

  private static int execute(Connection connection, String sql, Object... parameters)
      throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      var index = 0;
      for (var parameter : parameters) {
        index = set(statement, index, parameter);
      }
      return statement.executeUpdate();
    }
  }

  private static int set(PreparedStatement statement, int index, Object parameter)
      throws SQLException {
    if (parameter instanceof List<?> names) {
      for (var i = 0; i < names.size(); i++) {
        statement.setObject(index + i + 1, names.get(i));
      }
      return index + names.size();
    }
    statement.setObject(index + 1, parameter);
    return index + 1;
  }
}
