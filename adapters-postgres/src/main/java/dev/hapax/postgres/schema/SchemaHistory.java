package dev.hapax.postgres.schema;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * Compares the migrations of this program with those that Flyway recorded in a database, in one
 * query. Flyway needs a tenth of a second and several connections for the same answer.
 */
final class SchemaHistory {
  private static final String NO_TABLE = "42P01";

  private static final String APPLIED =
      """
      SELECT version, script, checksum, success AND type = 'SQL' AS applied
      FROM hapax.flyway_schema_history WHERE version IS NOT NULL""";

  private record Applied(int version, int checksum, boolean succeeded) {}

  private SchemaHistory() {}

  static SchemaState state(DataSource database) throws SQLException {
    return compare(ShippedMigrations.all(), applied(database));
  }

  private static SchemaState compare(List<ShippedMigration> shipped, Map<String, Applied> applied) {
    var newest =
        applied.values().stream()
            .filter(Applied::succeeded)
            .mapToInt(Applied::version)
            .max()
            .orElse(0);
    var unknown = new HashMap<>(applied);
    var pending = new ArrayList<ShippedMigration>();
    for (var migration : shipped) {
      var found = unknown.remove(migration.script());
      if (found == null || !found.succeeded()) {
        pending.add(migration);
      } else if (found.checksum() != migration.checksum()) {
        return new SchemaState.Differs();
      }
    }
    var own = shipped.getLast().version();
    if (unknown.values().stream().anyMatch(other -> !other.succeeded() || other.version() <= own)
        || pending.stream().anyMatch(migration -> migration.version() <= newest)) {
      return new SchemaState.Differs();
    }
    return pending.isEmpty()
        ? new SchemaState.Usable(newest)
        : new SchemaState.Behind(newest, pending);
  }

  /**
   * Removes what Flyway recorded of failed migrations, so that they run again. Only one without a
   * transaction leaves such a record, and it has to be written so that it can be repeated.
   */
  static void forgetFailures(DataSource database) throws SQLException {
    if (applied(database).values().stream().allMatch(Applied::succeeded)) {
      return;
    }
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      statement.executeUpdate(
          "DELETE FROM hapax.flyway_schema_history WHERE version IS NOT NULL AND NOT success");
    }
  }

  private static Map<String, Applied> applied(DataSource database) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(APPLIED)) {
      var applied = new HashMap<String, Applied>();
      while (rows.next()) {
        applied.put(
            rows.getString("script"),
            new Applied(
                rows.getInt("version"), rows.getInt("checksum"), rows.getBoolean("applied")));
      }
      return applied;
    } catch (SQLException e) {
      if (NO_TABLE.equals(e.getSQLState())) {
        return Map.of();
      }
      throw e;
    }
  }
}
