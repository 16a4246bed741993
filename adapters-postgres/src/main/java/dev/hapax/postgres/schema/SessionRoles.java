package dev.hapax.postgres.schema;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The roles that sessions of a server assume. Neither owns a table, so row-level security applies
 * to both.
 */
public enum SessionRoles {
  /** Sessions of the ledger and of reads are the runtime role, the others the maintenance role. */
  SEPARATED,
  /** Sessions keep the user they logged in with. */
  LOGIN;

  private static final String MAY_ASSUME =
      """
      SELECT count(*) = 2 FROM pg_roles
      WHERE rolname IN (hapax.role_name('runtime'), hapax.role_name('maintenance'))
        -- before version 16 every member may assume a role
        AND pg_has_role(oid, CASE WHEN current_setting('server_version_num')::int < 160000
          THEN 'MEMBER' ELSE 'SET' END)
        AND has_schema_privilege(oid, 'hapax', 'USAGE')""";

  /** A migration may have ended before its roles, or the database may be a copy of another one. */
  private static final String MISSING =
      """
      SELECT r.rolsuper OR r.rolcreaterole
      FROM pg_roles r, pg_namespace n
      WHERE r.rolname = current_user AND n.nspname = 'hapax' AND pg_has_role(n.nspowner, 'USAGE')
        AND NOT EXISTS (SELECT FROM pg_policies p
          WHERE p.schemaname = 'hapax' AND p.tablename = 'operation' AND p.policyname = 'all_workspaces'
            AND p.roles = ARRAY[hapax.role_name('maintenance')])""";

  /** Whether this user can create the roles of a migrated database, and has not done so. */
  static boolean areMissing(DataSource database) {
    try (var connection = database.getConnection()) {
      return isTrue(connection, MISSING);
    } catch (SQLException _) {
      // the session that needs the database reports why it cannot be used
      return false;
    }
  }

  /**
   * Returns the roles to assume in a migrated database.
   *
   * @throws SQLException if row-level security is on and this user may not assume both roles
   */
  public static SessionRoles of(Connection connection, RowLevelSecurity setting)
      throws SQLException {
    return switch (setting) {
      case OFF -> LOGIN;
      case AUTO -> mayAssume(connection) ? SEPARATED : LOGIN;
      case ON -> {
        if (!mayAssume(connection)) {
          throw new SQLException(
              "row-level security needs the roles of this database, and the database user must be a"
                  + " member of both: run `hapax migrate` as a user that may create roles, or see"
                  + " docs/configuration.md#row-level-security",
              "42501");
        }
        yield SEPARATED;
      }
    };
  }

  private static boolean mayAssume(Connection connection) throws SQLException {
    return isTrue(connection, MAY_ASSUME);
  }

  private static boolean isTrue(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      return rows.next() && rows.getBoolean(1);
    }
  }

  /** The statement that begins a session of the ledger or of reads. */
  public String beginRuntime() {
    return begin("runtime");
  }

  /** The statement that begins a session of work over all workspaces. */
  public String beginMaintenance() {
    return begin("maintenance");
  }

  private String begin(String kind) {
    return switch (this) {
      case SEPARATED -> "SELECT set_config('role', hapax.role_name('%s'), false)".formatted(kind);
      case LOGIN -> "SELECT 1";
    };
  }
}
