package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.LatestDefinition;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import java.util.Comparator;
import java.util.List;
import org.jooq.impl.DSL;

/**
 * The last registered version of each definition, read from {@code definition} without a lock. The
 * batch sees every registration acknowledged before one of its commands was submitted. Nothing is
 * written.
 */
public final class LatestDefinitionTable implements RecordTable<DefinitionName, LatestDefinition> {
  private static final UnnestRows<DefinitionName> KEYS =
      new UnnestRows<>(
          "k",
          List.of(
              new Column<>(
                  DEFINITION.WORKSPACE.getName(), Kind.TEXT, name -> name.workspace().name()),
              new Column<>(DEFINITION.NAME.getName(), Kind.TEXT, DefinitionName::name)));

  private static final String FIND =
      RenderedSql.text(
          KEYS.each(
              DSL.select(DEFINITION.WORKSPACE, DEFINITION.VERSION, DEFINITION.REGISTERED_AT)
                  .from(DEFINITION)
                  .where(
                      DEFINITION.WORKSPACE.eq(KEYS.get(DEFINITION.WORKSPACE)),
                      DEFINITION.NAME.eq(KEYS.get(DEFINITION.NAME)))
                  .orderBy(DEFINITION.REGISTERED_AT.desc(), DEFINITION.VERSION.desc())
                  .limit(DSL.inline(1))));

  @Override
  public Class<DefinitionName> keys() {
    return DefinitionName.class;
  }

  @Override
  public Comparator<DefinitionName> lockOrder() {
    return Comparator.comparing(DefinitionName::workspace).thenComparing(DefinitionName::name);
  }

  @Override
  public void lock(
      Pipeline pipeline,
      List<DefinitionName> keys,
      Loading<DefinitionName, LatestDefinition> loading) {
    pipeline.query(
        FIND,
        KEYS.parameters(keys),
        found -> {
          var row = new Row(found);
          loading.found(
              LoadedKey.of(found, keys),
              new LatestDefinition(
                  row.text(DEFINITION.VERSION), row.instant(DEFINITION.REGISTERED_AT)));
        });
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<DefinitionName, LatestDefinition>> writes) {}
}
