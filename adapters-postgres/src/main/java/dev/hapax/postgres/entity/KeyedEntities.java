package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.Entity;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The first entities whose keys a select finds, by lifecycle and id; ends early if they are too
 * large together.
 *
 * @param isMore whether there are others
 */
record KeyedEntities(List<Entity> entities, boolean isMore) {
  private static final Field<Integer> PLACE = DSL.field(DSL.name("place"), Integer.class);

  /** The columns that may be large: their bytes bound a page. */
  private static final List<? extends Field<?>> LARGE =
      Stream.of(ENTITY.fields())
          .filter(field -> field.getType() == String.class)
          .filter(field -> EntityTable.LOADED.contains(field))
          .toList();

  /**
   * Finds entities in one snapshot.
   *
   * @param keys selects {@code lifecycle} and {@code id}, perhaps more than {@code atMost}
   */
  static KeyedEntities find(ReadSession session, Workspace workspace, Select<?> keys, int atMost)
      throws SQLException {
    var entities = new ArrayList<Entity>();
    var isMore = new boolean[1];
    var select = select(workspace, keys, atMost + 1);
    IndexScan.query(
        session,
        RenderedSql.text(select),
        select.getBindValues(),
        row -> {
          if (entities.size() == atMost || SizeBoundedSelect.isTruncated(row)) {
            isMore[0] = true;
          } else {
            entities.add(EntityRows.entity(EntityRows.id(workspace, row), row));
          }
        });
    return new KeyedEntities(entities, isMore[0]);
  }

  static Select<?> select(Workspace workspace, Select<?> keys, int atMost) {
    var all = keys.asTable("k");
    var lifecycle = all.field(ENTITY.LIFECYCLE);
    var id = all.field(ENTITY.ID);
    var key =
        DSL.select(lifecycle, id)
            .from(all)
            .orderBy(lifecycle, id)
            .limit(DSL.inline(atMost))
            .asTable("f");
    var row =
        DSL.select(EntityTable.LOADED)
            .from(ENTITY)
            .where(
                ENTITY.WORKSPACE.eq(workspace.name()),
                ENTITY.LIFECYCLE.eq(key.field(ENTITY.LIFECYCLE)),
                ENTITY.ID.eq(key.field(ENTITY.ID)))
            .limit(DSL.inline(1))
            .asTable("e");
    var place = DSL.rowNumber().over().orderBy(key.field(ENTITY.LIFECYCLE), key.field(ENTITY.ID));
    return SizeBoundedSelect.of(
        DSL.select(place.as(PLACE))
            .select(key.fields())
            .select(row.fields())
            .from(key, DSL.lateral(row)),
        PLACE,
        LARGE);
  }
}
