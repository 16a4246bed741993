package dev.hapax.postgres.definition;

import static dev.hapax.postgres.schema.Tables.DEFINITION;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.SortField;
import org.jooq.impl.DSL;

/** Reads definitions. */
public final class PostgresDefinitionReads implements DefinitionReads {
  private static final Field<Integer> PLACE = DSL.field(DSL.name("place"), Integer.class);

  /** Versions registered at one time have the order of a list. */
  private static final String LATEST =
      RenderedSql.text(
          DSL.select(DEFINITION.VERSION)
              .from(DEFINITION)
              .where(DEFINITION.WORKSPACE.eq((String) null), DEFINITION.NAME.eq((String) null))
              .orderBy(DEFINITION.REGISTERED_AT.desc(), DEFINITION.VERSION.desc())
              .limit(DSL.inline(1)));

  private final ReadExecutor reads;
  private final DefinitionCache definitions;

  public PostgresDefinitionReads(ReadExecutor reads, DefinitionCache definitions) {
    this.reads = reads;
    this.definitions = definitions;
  }

  @Override
  public CompletableFuture<Optional<Definition>> find(DefinitionId id) {
    return reads.submit(id.workspace(), session -> definitions.find(id, session::pipeline));
  }

  @Override
  public CompletableFuture<Optional<Definition>> latest(Workspace workspace, String name) {
    return reads.submit(
        workspace,
        session -> {
          var found = new ArrayList<DefinitionId>(1);
          IndexScan.query(
              session,
              LATEST,
              List.of(workspace.name(), name),
              row ->
                  found.add(
                      new DefinitionId(workspace, name, new Row(row).text(DEFINITION.VERSION))));
          return found.isEmpty()
              ? Optional.empty()
              : Optional.of(definitions.get(found.getFirst(), session.connection()));
        });
  }

  @Override
  public CompletableFuture<Page<Definition, Position>> list(Query query) {
    return reads.submit(query.workspace(), session -> page(session, query));
  }

  private static Page<Definition, Position> page(ReadSession session, Query query)
      throws SQLException {
    var found = new ArrayList<Definition>();
    var isMore = new boolean[1];
    var select = select(query);
    var pipeline = session.pipeline();
    pipeline.query(
        RenderedSql.text(select),
        select.getBindValues(),
        row -> {
          if (found.size() == query.size() || SizeBoundedSelect.isTruncated(row)) {
            isMore[0] = true;
          } else {
            found.add(DefinitionRows.definition(id(query.workspace(), new Row(row)), row));
          }
        });
    pipeline.run();
    return new Page<>(found, isMore[0] ? Optional.of(position(found.getLast())) : Optional.empty());
  }

  private static DefinitionId id(Workspace workspace, Row row) throws SQLException {
    return new DefinitionId(workspace, row.text(DEFINITION.NAME), row.text(DEFINITION.VERSION));
  }

  private static Position position(Definition definition) {
    return new Position(
        definition.registeredAt(), definition.id().name(), definition.id().version());
  }

  private static Select<?> select(Query query) {
    var conditions = new ArrayList<Condition>();
    conditions.add(DEFINITION.WORKSPACE.eq(query.workspace().name()));
    query.name().ifPresent(name -> conditions.add(DEFINITION.NAME.eq(name)));
    query
        .after()
        .ifPresent(
            last ->
                conditions.add(
                    DSL.row(DEFINITION.REGISTERED_AT, DEFINITION.NAME, DEFINITION.VERSION)
                        .lt(
                            last.registeredAt().atOffset(ZoneOffset.UTC),
                            last.name(),
                            last.version())));
    var page =
        DSL.selectFrom(DEFINITION)
            .where(conditions)
            .orderBy(newestFirst(DEFINITION.getName()))
            .limit(DSL.inline(query.size() + 1))
            .asTable("d");
    var place = DSL.rowNumber().over().orderBy(newestFirst("d"));
    return SizeBoundedSelect.of(
        DSL.select(place.as(PLACE)).select(page.fields()).from(page),
        PLACE,
        List.of(DEFINITION.STEPS));
  }

  private static List<SortField<?>> newestFirst(String table) {
    return Stream.of(DEFINITION.REGISTERED_AT, DEFINITION.NAME, DEFINITION.VERSION)
        .<SortField<?>>map(field -> DSL.field(DSL.name(table, field.getName())).desc())
        .toList();
  }
}
