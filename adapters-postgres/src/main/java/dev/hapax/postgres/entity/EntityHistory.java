package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY_DELETION;
import static dev.hapax.postgres.schema.Tables.ENTITY_EVENT;

import dev.hapax.domain.Page;
import dev.hapax.domain.entity.EndedGrant;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads the events of one entity by their key. */
final class EntityHistory {
  private static final String EVENTS = RenderedSql.text(events());

  private static final String ENDED_BY =
      RenderedSql.text(
          DSL.selectFrom(ENTITY_EVENT)
              .where(
                  isOfEntity(),
                  ENTITY_EVENT.VERSION.eq((Long) null),
                  ENTITY_EVENT.NONCE.eq((Long) null)));

  private static final String RELEASED = requested(EntityEventType.CLAIM_RELEASED);
  private static final String DELETED = requested(EntityEventType.DELETED);

  private final ReadSession session;
  private final EntityId id;

  EntityHistory(ReadSession session, EntityId id) {
    this.session = session;
    this.id = id;
  }

  private static String requested(EntityEventType type) {
    return RenderedSql.text(
        DSL.select(DSL.one())
            .from(ENTITY_EVENT)
            .where(
                isOfEntity(),
                ENTITY_EVENT.REQUEST_ID.eq((String) null),
                ENTITY_EVENT.TYPE.eq(DSL.inline(type.code())))
            .limit(DSL.inline(1)));
  }

  /**
   * Whether an event is shown: those of a deleted entity are hidden, though they may not be removed
   * yet.
   */
  private static Condition isShown() {
    var behindTheLastDeletion =
        DSL.notExists(
            DSL.selectOne()
                .from(ENTITY_DELETION)
                .where(
                    ENTITY_DELETION.WORKSPACE.eq(ENTITY_EVENT.WORKSPACE),
                    ENTITY_DELETION.LIFECYCLE.eq(ENTITY_EVENT.LIFECYCLE),
                    ENTITY_DELETION.ID.eq(ENTITY_EVENT.ENTITY_ID),
                    ENTITY_DELETION.VERSION.gt(ENTITY_EVENT.VERSION)));
    return ENTITY_EVENT
        .TYPE
        .eq(DSL.inline(EntityEventType.DELETED.code()))
        .or(behindTheLastDeletion);
  }

  private static Condition isOfEntity() {
    return DSL.and(
        ENTITY_EVENT.WORKSPACE.eq((String) null),
        ENTITY_EVENT.LIFECYCLE.eq((String) null),
        ENTITY_EVENT.ENTITY_ID.eq((String) null));
  }

  private static Select<?> events() {
    return SizeBoundedSelect.of(
        DSL.selectFrom(ENTITY_EVENT)
            .where(isOfEntity(), ENTITY_EVENT.VERSION.gt((Long) null), isShown())
            .orderBy(ENTITY_EVENT.VERSION)
            .limit(DSL.val(0)),
        ENTITY_EVENT.VERSION,
        EntityEventRows.LARGE);
  }

  private List<Object> values(Object... more) {
    var values = new ArrayList<Object>();
    values.addAll(List.of(id.workspace().name(), id.lifecycle(), id.id()));
    values.addAll(List.of(more));
    return values;
  }

  Page<EntityEvent, Long> events(long after, int size) throws SQLException {
    var events = new ArrayList<EntityEvent>();
    var isMore = new boolean[1];
    var pipeline = session.pipeline();
    pipeline.query(
        EVENTS,
        values(after, size + 1),
        row -> {
          if (events.size() == size || SizeBoundedSelect.isTruncated(row)) {
            isMore[0] = true;
          } else {
            events.add(EntityEventRows.event(row));
          }
        });
    pipeline.run();
    return new Page<>(
        events, isMore[0] ? Optional.of(events.getLast().version()) : Optional.empty());
  }

  /**
   * The event by which the holder of a grant ended it: it is the next one after the grant.
   *
   * @param version of the entity when it was granted
   */
  Optional<EntityEvent> endedBy(long version, long nonce) throws SQLException {
    var found = new ArrayList<EntityEvent>(1);
    var pipeline = session.pipeline();
    pipeline.query(
        ENDED_BY, values(version + 1, nonce), row -> found.add(EntityEventRows.event(row)));
    pipeline.run();
    return found.stream().filter(event -> EndedGrant.byHolder(event).isPresent()).findFirst();
  }

  boolean isReleased(String requestId) throws SQLException {
    return isRequested(RELEASED, requestId);
  }

  boolean isDeleted(String requestId) throws SQLException {
    return isRequested(DELETED, requestId);
  }

  private boolean isRequested(String statement, String requestId) throws SQLException {
    var found = new boolean[1];
    var pipeline = session.pipeline();
    pipeline.query(statement, values(requestId), _ -> found[0] = true);
    pipeline.run();
    return found[0];
  }
}
