package dev.hapax.postgres.cell;

import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.Param;
import org.jooq.impl.DSL;

/** What in the rows of a workspace belongs to their PostgreSQL, and has to fit another one. */
record ReceivedRows(WorkspaceRows rows) {
  private static final String KNOWN =
      "SELECT DISTINCT role::text, to_regrole(quote_ident(role))::oid::bigint FROM hapax.sql_grant"
          + " WHERE workspace = {0} AND to_regrole(quote_ident(role)) IS NOT NULL";

  private static final String MISSING =
      "SELECT role::text FROM hapax.sql_grant WHERE workspace = {0} AND to_regrole(quote_ident(role)) IS NULL ORDER BY 1";

  /** Makes the rows fit; returns the roles of grants that the PostgreSQL does not have. */
  List<String> adopt(DataSource source) throws SQLException, IOException {
    // the intents of a workspace are taken in the order of these numbers
    long posted =
        TableTransaction.run(
            source,
            sql -> sql.fetchSingle("SELECT last_value FROM hapax.inbox_seq").get(0, Long.class));
    return TableTransaction.run(
        rows.database(),
        sql -> {
          sql.execute(
              "SELECT setval('hapax.inbox_seq', {0}) FROM hapax.inbox_seq WHERE last_value < {0}",
              DSL.inline(posted));
          // a scan for new intents finds them now
          sql.execute(
              "UPDATE hapax.inbox SET xid = pg_current_xact_id() WHERE workspace = {0}", name());
          for (var role : sql.fetch(KNOWN, name())) {
            sql.execute(
                "UPDATE hapax.sql_grant SET role_oid = {2}::oid WHERE workspace = {0} AND role = {1}",
                name(), DSL.inline(role.get(0, String.class)), DSL.inline(role.get(1, Long.class)));
          }
          sql.execute("SELECT hapax.apply_sql_grants()");
          return sql.fetch(MISSING, name()).getValues(0, String.class);
        });
  }

  /** Removes what is left of the workspace once its rows and grants are gone. */
  void forget() throws SQLException, IOException {
    TableTransaction.run(
        rows.database(),
        sql -> {
          sql.execute("SELECT hapax.apply_sql_grants()");
          return sql.execute("DELETE FROM hapax.inbox_share WHERE workspace = {0}", name());
        });
  }

  private Param<String> name() {
    return DSL.inline(rows.workspace().name());
  }
}
