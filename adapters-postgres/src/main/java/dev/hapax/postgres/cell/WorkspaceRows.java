package dev.hapax.postgres.cell;

import dev.hapax.domain.Workspace;
import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** The rows of a workspace in the tables of one cell. */
record WorkspaceRows(Workspace workspace, DataSource database) {
  /**
   * The tables of the directory say where a workspace is. A share of the inbox is no record: it
   * stays when a grant is revoked, and counts by a sequence of its cell.
   */
  private static final String TABLES =
      """
      SELECT c.relname::text AS name,
        EXISTS (SELECT FROM pg_attribute v
          WHERE v.attrelid = c.oid AND v.attname = 'version' AND v.atttypid = 'bigint'::regtype) AS versioned,
        c.relkind = 'p' AS partitioned
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'hapax'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attname = 'workspace' AND c.relname NOT IN ('placement', 'moved', 'move', 'inbox_share')
      ORDER BY c.relname\
      """;

  private static final Field<String> WORKSPACE =
      DSL.field(DSL.name("workspace"), SQLDataType.VARCHAR);

  private static final String GRANTS = "sql_grant";

  /**
   * A table with rows of workspaces.
   *
   * @param isVersioned whether its rows have versions
   * @param isPartitioned by day: each cell drops partitions of days that are over by itself
   */
  record RecordTable(String name, boolean isVersioned, boolean isPartitioned) {
    Name qualified() {
      return DSL.name("hapax", name);
    }

    Condition isKept() {
      return isPartitioned
          ? DSL.condition("purge_on >= (clock_timestamp() AT TIME ZONE 'UTC')::date")
          : DSL.noCondition();
    }
  }

  /** The rows of a table, as far as two cells that have the same ones agree. */
  record Sum(String table, long rows, long versions) {}

  static List<RecordTable> tables(DSLContext sql) {
    return sql.fetch(TABLES)
        .map(
            row ->
                new RecordTable(
                    row.get("name", String.class),
                    row.get("versioned", Boolean.class),
                    row.get("partitioned", Boolean.class)));
  }

  private static List<RecordTable> records(DSLContext sql) {
    return tables(sql).stream().filter(table -> !table.name().equals(GRANTS)).toList();
  }

  /** Returns a table with records of any workspace. */
  static Optional<String> ofAny(DSLContext sql) {
    return find(sql, DSL.noCondition());
  }

  private static Optional<String> find(DSLContext sql, Condition which) {
    return records(sql).stream()
        .filter(
            table ->
                sql.fetchExists(DSL.selectOne().from(DSL.table(table.qualified())).where(which)))
        .findFirst()
        .map(RecordTable::name);
  }

  private Condition isOwn() {
    return WORKSPACE.eq(workspace.name());
  }

  /** Returns a table that has some. */
  Optional<String> find() throws SQLException, IOException {
    return TableTransaction.run(database, sql -> find(sql, isOwn()));
  }

  /** Counts them, and sums up their versions, by one snapshot. */
  List<Sum> sums() throws SQLException, IOException {
    return TableTransaction.run(
        database,
        sql -> {
          sql.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
          var sums = new ArrayList<Sum>();
          for (var table : tables(sql)) {
            var versions =
                table.isVersioned()
                    ? DSL.coalesce(
                            DSL.sum(DSL.field(DSL.name("version"), SQLDataType.BIGINT)),
                            DSL.inline(0))
                        .cast(Long.class)
                    : DSL.inline(0L);
            var row =
                sql.select(DSL.count().cast(Long.class), versions)
                    .from(DSL.table(table.qualified()))
                    .where(isOwn(), table.isKept())
                    .fetchSingle();
            sums.add(new Sum(table.name(), row.value1(), row.value2()));
          }
          return sums;
        });
  }

  long count() throws SQLException, IOException {
    return count(sums());
  }

  static long count(List<Sum> sums) {
    return sums.stream().mapToLong(Sum::rows).sum();
  }

  /** Removes all of them; returns their number. */
  long purge(LongConsumer progress) throws SQLException, IOException {
    return new RowPurge(database, workspace)
        .run(TableTransaction.run(database, WorkspaceRows::tables), progress);
  }

  /**
   * As {@link #purge}, but sessions of SQL may still call the functions, which say that the
   * workspace is in another cell.
   */
  long purgeRecords(LongConsumer progress) throws SQLException, IOException {
    return new RowPurge(database, workspace)
        .run(TableTransaction.run(database, WorkspaceRows::records), progress);
  }
}
