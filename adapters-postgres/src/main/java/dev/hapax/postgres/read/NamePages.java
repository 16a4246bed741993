package dev.hapax.postgres.read;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectConditionStep;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/** Lists named records of a workspace in pages, and counts them. */
public final class NamePages {
  private static final Field<Integer> PLACE = DSL.field(DSL.name("place"), Integer.class);

  private NamePages() {}

  /** Reads one record. */
  public interface Reading<T> {
    T read(Row row, ResultSet found) throws SQLException;
  }

  /**
   * Reads a page, which ends early if its columns are large.
   *
   * @param select the records of the workspace
   * @param large the columns whose bytes count
   * @param column the name
   */
  public static <T> Page<T, String> page(
      ReadSession session,
      SelectConditionStep<? extends Record> select,
      TableField<?, String> column,
      List<? extends Field<?>> large,
      int size,
      Optional<String> after,
      Reading<T> reading,
      Function<T, String> name)
      throws SQLException {
    var page =
        select
            .and(after.map(column::gt).orElse(DSL.noCondition()))
            .orderBy(column)
            .limit(DSL.inline(size + 1))
            .asTable("p");
    var place = DSL.rowNumber().over().orderBy(page.field(column.getName()));
    var portion =
        SizeBoundedSelect.of(
            DSL.select(place.as(PLACE)).select(page.fields()).from(page), PLACE, large);
    var found = new ArrayList<T>();
    var isMore = new boolean[1];
    var pipeline = session.pipeline();
    pipeline.query(
        RenderedSql.text(portion),
        portion.getBindValues(),
        row -> {
          if (found.size() == size || SizeBoundedSelect.isTruncated(row)) {
            isMore[0] = true;
          } else {
            found.add(reading.read(new Row(row), row));
          }
        });
    pipeline.run();
    return new Page<>(
        found, isMore[0] ? Optional.of(name.apply(found.getLast())) : Optional.empty());
  }

  /** Renders the query that counts the records of a workspace up to a limit. */
  public static String count(Table<?> table, Field<String> workspace, int most) {
    var some =
        DSL.selectOne().from(table).where(workspace.eq((String) null)).limit(DSL.inline(most));
    return RenderedSql.text(DSL.selectCount().from(some));
  }

  /** Runs a query of {@link #count}. */
  public static int count(ReadSession session, String statement, Workspace workspace)
      throws SQLException {
    var count = new int[1];
    var pipeline = session.pipeline();
    pipeline.query(statement, List.of(workspace.name()), row -> count[0] = row.getInt(1));
    pipeline.run();
    return count[0];
  }
}
