package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** The table {@code definition}. A row never changes, so nobody has to lock it. */
public final class DefinitionTable implements RecordTable<DefinitionId, Definition> {
  private static final UnnestRows<DefinitionId> KEYS = new UnnestRows<>("k", key(id -> id));

  private static final Insertion<Definition> INSERT =
      new Insertion<>(
          DEFINITION,
          new UnnestRows<>("u", key(Definition::id))
              .with(
                  List.of(
                      new Column<>(
                          DEFINITION.REGISTERED_AT.getName(),
                          Kind.INSTANT,
                          Definition::registeredAt),
                      new Column<>(
                          DEFINITION.STEPS.getName(),
                          Kind.TEXT,
                          definition -> StepsText.print(definition.steps())),
                      new Column<>(
                          DEFINITION.REGISTERED_BY.getName(),
                          Kind.TEXT,
                          definition -> definition.registrant().actor()),
                      new Column<>(
                          DEFINITION.REASON.getName(),
                          Kind.TEXT,
                          definition -> definition.registrant().reason()))));

  private static final String FIND = RenderedSql.text(find());

  private static <R> List<Column<R>> key(Function<R, DefinitionId> id) {
    return List.of(
        new Column<>(
            DEFINITION.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(DEFINITION.NAME.getName(), Kind.TEXT, row -> id.apply(row).name()),
        new Column<>(DEFINITION.VERSION.getName(), Kind.TEXT, row -> id.apply(row).version()));
  }

  private static Select<?> find() {
    var row =
        DSL.select(
                DEFINITION.REGISTERED_AT,
                DEFINITION.STEPS,
                DEFINITION.REGISTERED_BY,
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

  @Override
  public Class<DefinitionId> keys() {
    return DefinitionId.class;
  }

  @Override
  public Comparator<DefinitionId> lockOrder() {
    return Comparator.comparing(DefinitionId::workspace)
        .thenComparing(DefinitionId::name)
        .thenComparing(DefinitionId::version);
  }

  @Override
  public void lock(
      Pipeline pipeline, List<DefinitionId> keys, Loading<DefinitionId, Definition> loading) {
    pipeline.query(
        FIND,
        KEYS.parameters(keys),
        row -> {
          var id = keys.get(row.getInt(1) - 1);
          if (SizeBoundedSelect.isBeyond(row)) {
            loading.deferred(id);
          } else {
            loading.found(id, DefinitionRows.definition(id, row));
          }
        });
  }

  @Override
  public void lookUp(
      Pipeline pipeline, List<DefinitionId> absent, Loading<DefinitionId, Definition> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<DefinitionId, Definition>> writes) {
    INSERT.add(pipeline, writes.stream().map(DefinitionTable::registered).toList());
  }

  private static Definition registered(Write<DefinitionId, Definition> write) {
    if (write.before() != null || write.after() == null) {
      throw new IllegalArgumentException(write.key() + " cannot change");
    }
    return write.after();
  }

  @Override
  public void change(Pipeline pipeline, List<Write<DefinitionId, Definition>> writes) {}

  @Override
  public void verify(Pipeline pipeline, List<Write<DefinitionId, Definition>> writes) {}
}
