package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
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

/** Finds the runs whose tasks were granted to polls and are still held. */
final class PolledRuns {
  static final UnnestRows<Poll> POLLS =
      new UnnestRows<>(
          "p",
          List.of(
              new Column<>(RUN.WORKSPACE.getName(), Kind.TEXT, poll -> poll.workspace().name()),
              new Column<>(RUN.POLL_ID.getName(), Kind.UUID, Poll::id)));

  static final String POLLED = RenderedSql.text(polled());

  record Poll(Workspace workspace, UUID id) {}

  private PolledRuns() {}

  private static Select<?> polled() {
    var run =
        DSL.select(RUN.ID)
            .from(RUN)
            .where(
                RUN.WORKSPACE.eq(POLLS.get(RUN.WORKSPACE)),
                // as equal, but with an order that only the index of polls has
                RUN.POLL_ID.between(POLLS.get(RUN.POLL_ID), POLLS.get(RUN.POLL_ID)))
            .orderBy(RUN.POLL_ID)
            .asTable("r");
    return DSL.select(POLLS.number(), run.field(RUN.ID)).from(POLLS.table(), DSL.lateral(run));
  }

  static Map<Poll, List<RunId>> of(ReadSession session, List<Poll> polls) throws SQLException {
    var granted = new HashMap<Poll, List<RunId>>();
    IndexScan.queryWithOnePlan(
        session,
        POLLED,
        POLLS.parameters(polls),
        row -> {
          var poll = polls.get(row.getInt(1) - 1);
          granted
              .computeIfAbsent(poll, _ -> new ArrayList<>())
              .add(new RunId(poll.workspace(), row.getObject(2, UUID.class)));
        });
    return granted;
  }
}
