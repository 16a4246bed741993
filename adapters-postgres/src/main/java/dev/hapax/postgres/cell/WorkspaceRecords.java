package dev.hapax.postgres.cell;

import dev.hapax.domain.Workspace;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** Finds a table that has records of a workspace. */
final class WorkspaceRecords {
  /** A share of the inbox is no record: it stays when a grant is revoked. */
  private static final String TABLES =
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attname = 'workspace' AND c.relname NOT IN ('placement', 'inbox_share')
      ORDER BY c.relname\
      """;

  private WorkspaceRecords() {}

  /** Returns a table with records of this workspace, or that says it has moved. */
  static Optional<String> of(DSLContext sql, Workspace workspace) {
    return find(sql, DSL.field(DSL.name("workspace"), SQLDataType.VARCHAR).eq(workspace.name()));
  }

  /** Returns a table with records of any workspace. */
  static Optional<String> ofAny(DSLContext sql) {
    return find(sql, DSL.noCondition());
  }

  private static Optional<String> find(DSLContext sql, Condition which) {
    List<String> tables = sql.fetch(TABLES).getValues(0, String.class);
    return tables.stream()
        .filter(
            table ->
                sql.fetchExists(
                    DSL.selectOne().from(DSL.table(DSL.name("hapax", table))).where(which)))
        .findFirst();
  }
}
