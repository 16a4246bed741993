package dev.hapax.postgres.definition;

import static dev.hapax.postgres.ledger.RowWrites.column;
import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.json.StoredJson;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RecordTable.Write;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowLoad;
import dev.hapax.postgres.ledger.RowWrites;
import dev.hapax.postgres.ledger.SimpleTable;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Micros;
import dev.hapax.postgres.read.StoredPrincipal;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The table {@code definition}. A row never changes, and needs no lock. */
public final class DefinitionTable {
  private static final UnnestRows<DefinitionId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final UnnestRows<Write<DefinitionId, Definition>> WRITTEN =
      new UnnestRows<>("u", key(Write<DefinitionId, Definition>::key))
          .with(
              List.of(
                  column(DEFINITION.REGISTERED_AT, Kind.INSTANT, Definition::registeredAt),
                  column(DEFINITION.STEPS, Kind.TEXT, d -> StepsText.print(d.steps())),
                  column(
                      DEFINITION.TIMEOUT, Kind.LONG, d -> d.timeout().map(Micros::of).orElse(null)),
                  column(DEFINITION.LIMITS, Kind.TEXT, DefinitionTable::limits),
                  column(DEFINITION.REGISTERED_BY, Kind.TEXT, d -> d.registrant().actor()),
                  column(
                      DEFINITION.REGISTERED_BY_PRINCIPAL,
                      Kind.TEXT,
                      d -> StoredPrincipal.text(d.registrant().principal())),
                  column(DEFINITION.REASON, Kind.TEXT, d -> d.registrant().reason())));

  private static final Comparator<DefinitionId> ORDER =
      Comparator.comparing(DefinitionId::workspace)
          .thenComparing(DefinitionId::name)
          .thenComparing(DefinitionId::version);

  private static final String FIND = RenderedSql.text(find());

  private DefinitionTable() {}

  /** Returns the table. */
  public static RecordTable<DefinitionId, Definition> create() {
    return new SimpleTable<>(
        DefinitionId.class,
        ORDER,
        RowLoad.bounded(KEYS, FIND, DefinitionRows::definition),
        RowWrites.once(DEFINITION, WRITTEN));
  }

  private static <R> List<Column<R>> key(Function<R, DefinitionId> id) {
    return List.of(
        new Column<>(
            DEFINITION.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(DEFINITION.NAME.getName(), Kind.TEXT, row -> id.apply(row).name()),
        new Column<>(DEFINITION.VERSION.getName(), Kind.TEXT, row -> id.apply(row).version()));
  }

  private static @Nullable String limits(Definition definition) {
    return definition.limits().isEmpty()
        ? null
        : StoredJson.print(StepsText.limits(definition.limits()));
  }

  private static Select<?> find() {
    var row =
        DSL.select(
                DEFINITION.WORKSPACE,
                DEFINITION.REGISTERED_AT,
                DEFINITION.STEPS,
                DEFINITION.TIMEOUT,
                DEFINITION.LIMITS,
                DEFINITION.REGISTERED_BY,
                DEFINITION.REGISTERED_BY_PRINCIPAL,
                DEFINITION.REASON)
            .from(DEFINITION)
            .where(
                DEFINITION.WORKSPACE.eq(KEYS.get(DEFINITION.WORKSPACE)),
                DEFINITION.NAME.eq(KEYS.get(DEFINITION.NAME)),
                DEFINITION.VERSION.eq(KEYS.get(DEFINITION.VERSION)))
            .limit(DSL.inline(1))
            .asTable("r");
    return SizeBoundedSelect.of(
        DSL.select(KEYS.number()).select(row.fields()).from(KEYS.table(), DSL.lateral(row)),
        KEYS.number(),
        List.of(DEFINITION.STEPS));
  }
}
