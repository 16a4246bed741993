package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The last registered version of each definition, read from {@code definition} without a lock. The
 * batch sees every registration acknowledged before one of its commands was submitted. Nothing is
 * written.
 */
public final class LatestDefinitionTable implements RecordTable<DefinitionName, LatestDefinition> {
  private static final int MAX_NAMES = 10_000;
  private static final String LATEST = "latest";

  private static final List<Column<DefinitionName>> KEY =
      List.of(
          new Column<>(DEFINITION.WORKSPACE.getName(), Kind.TEXT, name -> name.workspace().name()),
          new Column<>(DEFINITION.NAME.getName(), Kind.TEXT, DefinitionName::name));

  private static final UnnestRows<DefinitionName> KEYS = new UnnestRows<>("k", KEY);

  private static final String FIND =
      RenderedSql.text(
          KEYS.each(
              latest(KEYS, DEFINITION.WORKSPACE, DEFINITION.VERSION, DEFINITION.REGISTERED_AT)));

  private static final UnnestRows<Map.Entry<DefinitionName, LatestDefinition>> ASSUMED =
      new UnnestRows<Map.Entry<DefinitionName, LatestDefinition>>(
              "k", KEY.stream().map(column -> column.of(LatestDefinitionTable::name)).toList())
          .with(
              List.of(
                  new Column<>(
                      DEFINITION.VERSION.getName(),
                      Kind.TEXT,
                      assumed -> assumed.getValue().version())));

  private static final String CONFIRM = RenderedSql.exactly("assumed definitions", confirming());

  // no thread of the cache's own
  private final Cache<DefinitionName, LatestDefinition> lastRead =
      Caffeine.newBuilder().maximumSize(MAX_NAMES).executor(Runnable::run).build();

  private static DefinitionName name(Map.Entry<DefinitionName, LatestDefinition> assumed) {
    return assumed.getKey();
  }

  /** Selects these columns of the last registered version of a name that was sent. */
  private static Select<?> latest(UnnestRows<?> sent, Field<?>... columns) {
    return DSL.select(columns)
        .from(DEFINITION)
        .where(
            DEFINITION.WORKSPACE.eq(sent.get(DEFINITION.WORKSPACE)),
            DEFINITION.NAME.eq(sent.get(DEFINITION.NAME)))
        .orderBy(DEFINITION.REGISTERED_AT.desc(), DEFINITION.VERSION.desc())
        .limit(DSL.inline(1));
  }

  private static Select<?> confirming() {
    var latest = latest(ASSUMED, DEFINITION.VERSION).asTable(LATEST);
    return DSL.selectOne()
        .from(ASSUMED.table(), DSL.lateral(latest))
        .where(
            DSL.field(DSL.name(LATEST, DEFINITION.VERSION.getName()), String.class)
                .eq(ASSUMED.get(DEFINITION.VERSION)));
  }

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
          var key = LoadedKey.of(found, keys);
          var latest =
              new LatestDefinition(
                  row.text(DEFINITION.VERSION), row.instant(DEFINITION.REGISTERED_AT));
          lastRead.put(key, latest);
          loading.found(key, latest);
        });
  }

  @Override
  public Optional<LatestDefinition> lastRead(DefinitionName key) {
    return Optional.ofNullable(lastRead.getIfPresent(key));
  }

  @Override
  public void confirm(Pipeline pipeline, Map<DefinitionName, LatestDefinition> assumed) {
    pipeline.write(CONFIRM, ASSUMED, List.copyOf(assumed.entrySet()));
  }

  @Override
  public void forget(Set<DefinitionName> keys) {
    lastRead.invalidateAll(keys);
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<DefinitionName, LatestDefinition>> writes) {
    writes.forEach(write -> lastRead.invalidate(write.key()));
  }
}
