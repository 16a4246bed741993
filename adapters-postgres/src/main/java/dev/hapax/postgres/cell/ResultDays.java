package dev.hapax.postgres.cell;

import dev.hapax.postgres.schema.TableTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** The days for which a cell can store results: each of them has a partition. */
final class ResultDays {
  private static final String PARTITIONS =
      """
      SELECT right(c.relname, 8) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'hapax.operation_result'::regclass ORDER BY 1\
      """;

  private ResultDays() {}

  private static List<String> of(DSLContext sql) {
    return sql.fetch(PARTITIONS).getValues(0, String.class);
  }

  /** Lets the target store the results of all days that the source has. */
  static void createAsIn(DataSource source, DataSource target) throws SQLException, IOException {
    List<String> wanted = TableTransaction.run(source, ResultDays::of);
    List<String> found = TableTransaction.run(target, ResultDays::of);
    for (var day : wanted) {
      if (!found.contains(day)) {
        TableTransaction.run(
            target,
            sql ->
                sql.execute(
                    "SELECT hapax.create_result_partition(to_date({0}, 'YYYYMMDD'))",
                    DSL.inline(day)));
      }
    }
  }
}
