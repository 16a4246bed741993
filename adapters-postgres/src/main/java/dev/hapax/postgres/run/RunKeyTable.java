package dev.hapax.postgres.run;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.RUN_KEY;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKey;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code run_key}. Starts with one key lock or insert its row. */
public final class RunKeyTable {
  private static final UnnestRows<RunKeyId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<RunKeyId, RunKey>> WRITTEN =
      new UnnestRows<>("u", key(Write<RunKeyId, RunKey>::key))
          .with(
              List.of(
                  column(RUN_KEY.RUN_ID, Kind.UUID, key -> key.run().uuid()),
                  column(RUN_KEY.REQUEST, Kind.UUID, key -> key.request().hash()),
                  column(RUN_KEY.EXPIRES_AT, Kind.INSTANT, RunKey::expiresAt)));

  private static final String LOCK = RenderedSql.text(lock());

  private static final String UPDATE =
      RenderedSql.replace(
          RUN_KEY, WRITTEN, List.of(RUN_KEY.WORKSPACE, RUN_KEY.HASH), DSL.noCondition());

  private RunKeyTable() {}

  /** Returns the table. */
  public static RecordTable<RunKeyId, RunKey> create() {
    return new SimpleTable<>(
        RunKeyId.class,
        Comparator.comparing(RunKeyId::workspace).thenComparing(RunKeyId::hash),
        new RowLoad<>(KEYS, LOCK, RunKeyTable::read),
        RowWrites.of(RUN_KEY, WRITTEN, UPDATE));
  }

  static <R> List<Column<R>> key(Function<R, RunKeyId> id) {
    return List.of(
        new Column<>(
            RUN_KEY.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(RUN_KEY.HASH.getName(), Kind.UUID, row -> id.apply(row).hash()));
  }

  private static Select<?> lock() {
    var row =
        DSL.select(RUN_KEY.WORKSPACE, RUN_KEY.RUN_ID, RUN_KEY.REQUEST, RUN_KEY.EXPIRES_AT)
            .from(RUN_KEY)
            .where(
                RUN_KEY.WORKSPACE.eq(KEYS.get(RUN_KEY.WORKSPACE)),
                RUN_KEY.HASH.eq(KEYS.get(RUN_KEY.HASH)))
            .forUpdate()
            .asTable("r");
    return DSL.select(KEYS.number())
        .select(row.fields())
        .from(KEYS.table(), DSL.lateral(row))
        .orderBy(KEYS.number());
  }

  private static RunKey read(RunKeyId id, ResultSet found) throws SQLException {
    var row = new Row(found);
    return new RunKey(
        new RunId(id.workspace(), row.uuid(RUN_KEY.RUN_ID)),
        new Fingerprint(row.uuid(RUN_KEY.REQUEST)),
        row.instant(RUN_KEY.EXPIRES_AT));
  }
}
