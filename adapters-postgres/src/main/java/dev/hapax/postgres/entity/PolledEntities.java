package dev.hapax.postgres.entity;

import static dev.hapax.postgres.schema.Tables.ENTITY;

import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.IndexScan;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Finds the recoveries that were granted to polls and are still held. */
final class PolledEntities {
  static final UnnestRows<Poll> POLLS =
      new UnnestRows<>(
          "p",
          List.of(
              new Column<>(
                  ENTITY.WORKSPACE.getName(), Kind.TEXT, poll -> poll.janitor().workspace().name()),
              new Column<>(ENTITY.MODULE.getName(), Kind.TEXT, poll -> poll.janitor().module()),
              new Column<>(ENTITY.POLL_ID.getName(), Kind.UUID, Poll::id)));

  static final String POLLED = RenderedSql.text(polled());

  record Poll(JanitorId janitor, UUID id) {}

  private PolledEntities() {}

  private static Select<?> polled() {
    var entity =
        DSL.select(ENTITY.LIFECYCLE, ENTITY.ID)
            .from(ENTITY)
            .where(
                ENTITY.WORKSPACE.eq(POLLS.get(ENTITY.WORKSPACE)),
                // as equal, but with an order that only the index of polls has
                ENTITY.POLL_ID.between(POLLS.get(ENTITY.POLL_ID), POLLS.get(ENTITY.POLL_ID)),
                ENTITY.MODULE.eq(POLLS.get(ENTITY.MODULE)))
            .orderBy(ENTITY.POLL_ID)
            .asTable("e");
    return DSL.select(POLLS.number())
        .select(entity.fields())
        .from(POLLS.table(), DSL.lateral(entity));
  }

  static Map<Poll, List<EntityId>> of(ReadSession session, List<Poll> polls) throws SQLException {
    var granted = new HashMap<Poll, List<EntityId>>();
    IndexScan.queryWithOnePlan(
        session,
        POLLED,
        POLLS.parameters(polls),
        found -> {
          var poll = polls.get(found.getInt(1) - 1);
          granted
              .computeIfAbsent(poll, _ -> new ArrayList<>())
              .add(EntityRows.id(poll.janitor().workspace(), found));
        });
    return granted;
  }
}
