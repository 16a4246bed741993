package dev.hapax.postgres.intent;

import static dev.hapax.postgres.schema.Tables.SQL_GRANT;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.intent.SqlGrant;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * The grants by which database roles may call the SQL functions that post intents. A change also
 * grants or revokes the right to execute them.
 */
public final class SqlGrantTable {
  private static final Field<Boolean> IS_OVER =
      DSL.field(
          "coalesce(role_oid <> to_regrole(quote_ident(role))::oid, true)", SQLDataType.BOOLEAN);

  private final DSLContext sql;

  private SqlGrantTable(DSLContext sql) {
    this.sql = sql;
  }

  /** Reads and changes the grants. */
  public interface Work<T> {
    T on(SqlGrantTable grants) throws IOException;
  }

  /** Does the work in one transaction. */
  public static <T> T inTransaction(DataSource database, Work<T> work)
      throws SQLException, IOException {
    return TableTransaction.run(database, sql -> work.on(new SqlGrantTable(sql)));
  }

  /** Whether the database has this role. */
  public boolean hasRole(String role) {
    return sql.fetchExists(DSL.selectOne().from("pg_roles").where("rolname = ?", role));
  }

  /** Replaces what the role may post in this workspace. */
  public void put(String role, Workspace workspace, Set<IntentVerb> verbs, String by) {
    var names = verbs.stream().map(SqlGrantTable::name).sorted().toArray(String[]::new);
    sql.insertInto(SQL_GRANT)
        .set(SQL_GRANT.ROLE, role)
        .set(SQL_GRANT.WORKSPACE, workspace.name())
        .set(SQL_GRANT.VERBS, names)
        .set(SQL_GRANT.GRANTED_AT, DSL.currentOffsetDateTime())
        .set(SQL_GRANT.GRANTED_BY, by)
        .set(SQL_GRANT.ROLE_OID, DSL.field("to_regrole(quote_ident(?))::oid", Long.class, role))
        .onConflict(SQL_GRANT.ROLE, SQL_GRANT.WORKSPACE)
        .doUpdate()
        .setAllToExcluded()
        .execute();
    apply();
  }

  /**
   * Removes the grants of a role; returns their number.
   *
   * @param workspace empty = all workspaces
   */
  public int remove(String role, Optional<Workspace> workspace) {
    var removed =
        sql.deleteFrom(SQL_GRANT)
            .where(SQL_GRANT.ROLE.eq(role))
            .and(
                workspace
                    .map(only -> SQL_GRANT.WORKSPACE.eq(only.name()))
                    .orElse(DSL.noCondition()))
            .execute();
    apply();
    return removed;
  }

  private void apply() {
    sql.execute("SELECT hapax.apply_sql_grants()");
  }

  /** All grants, by role and workspace. */
  public List<SqlGrant> list() {
    return sql.select(SQL_GRANT.fields())
        .select(IS_OVER)
        .from(SQL_GRANT)
        .orderBy(SQL_GRANT.ROLE, SQL_GRANT.WORKSPACE)
        .fetch(SqlGrantTable::read);
  }

  private static SqlGrant read(Record row) {
    return new SqlGrant(
        row.get(SQL_GRANT.ROLE),
        new Workspace(row.get(SQL_GRANT.WORKSPACE)),
        Stream.of(row.get(SQL_GRANT.VERBS))
            .map(name -> IntentVerb.valueOf(name.toUpperCase(Locale.ROOT)))
            .collect(Collectors.toUnmodifiableSet()),
        row.get(SQL_GRANT.GRANTED_AT).toInstant(),
        row.get(SQL_GRANT.GRANTED_BY),
        row.get(IS_OVER));
  }

  private static String name(IntentVerb verb) {
    return verb.name().toLowerCase(Locale.ROOT);
  }
}
