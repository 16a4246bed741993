package dev.hapax.postgres.schema;

import java.sql.Connection;
import java.sql.SQLException;

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
                  + " docs/operations-database.md",
              "42501");
        }
        yield SEPARATED;
      }
    };
  }

  private static boolean mayAssume(Connection connection) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(MAY_ASSUME)) {
      rows.next();
      return rows.getBoolean(1);
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
