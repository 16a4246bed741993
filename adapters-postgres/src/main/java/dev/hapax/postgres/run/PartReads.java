package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;
import static dev.hapax.postgres.schema.Tables.RUN_STEP;

import dev.hapax.domain.Page;
import dev.hapax.domain.run.Part;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.OpenPart;
import dev.hapax.domain.run.RunReads.Parts;
import dev.hapax.domain.run.RunReads.Recorded;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads the parts of a step that a worker gets with its task. */
final class PartReads {
  private static final String RECORDED =
      RenderedSql.text(
          SizeBoundedSelect.of(
              parts(
                  RUN_STEP.STATE.isNull().and(RUN_STEP.VERSION.gt((Long) null)),
                  List.of(RUN_EVENT.JSON, RUN_EVENT.BYTES)),
              RUN_STEP.VERSION,
              List.of(RUN_EVENT.JSON, RUN_EVENT.BYTES)));

  private static final String OPEN =
      RenderedSql.text(
          parts(
              RUN_STEP.STATE.isNotNull(),
              List.of(
                  RUN_EVENT.NONCE,
                  RUN_EVENT.PART,
                  RUN_EVENT.FAILURE_CODE,
                  RUN_EVENT.FAILURE_MESSAGE,
                  RUN_EVENT.FAILURE_STACK,
                  RUN_EVENT.JSON,
                  RUN_EVENT.BYTES)));

  private final ReadSession session;
  private final RunId id;
  private final int step;

  PartReads(ReadSession session, RunId id, int step) {
    this.session = session;
    this.id = id;
    this.step = step;
  }

  /** Joins parts with the events that changed them last, in the order of these. */
  private static Select<?> parts(Condition which, List<Field<?>> ofEvent) {
    var part =
        DSL.selectFrom(RUN_STEP)
            .where(
                RUN_STEP.WORKSPACE.eq((String) null),
                RUN_STEP.RUN_ID.eq((UUID) null),
                RUN_STEP.STEP.eq((Integer) null),
                which)
            .orderBy(RUN_STEP.VERSION)
            .limit(DSL.val(0))
            .asTable("s");
    var event =
        DSL.select(ofEvent)
            .from(RUN_EVENT)
            .where(
                RUN_EVENT.WORKSPACE.eq(part.field(RUN_STEP.WORKSPACE)),
                RUN_EVENT.RUN_ID.eq(part.field(RUN_STEP.RUN_ID)),
                RUN_EVENT.VERSION.eq(part.field(RUN_STEP.VERSION)))
            .limit(DSL.inline(1))
            .asTable("e");
    return DSL.select(part.fields())
        .select(event.fields())
        .from(part, DSL.lateral(event))
        .orderBy(part.field(RUN_STEP.VERSION));
  }

  Parts parts() throws SQLException {
    var pipeline = session.pipeline();
    var recorded = new RecordedPage(pipeline, 0);
    var open = new ArrayList<OpenPart>();
    pipeline.query(
        OPEN,
        List.of(id.workspace().name(), id.uuid(), step, Parts.MAX_OPEN),
        found -> {
          var row = new Row(found);
          open.add(new OpenPart(row.text(RUN_STEP.NAME), (Part.Open) PartColumns.read(row)));
        });
    pipeline.run();
    return new Parts(recorded.page(), open);
  }

  Page<Recorded, Long> recorded(long after) throws SQLException {
    var pipeline = session.pipeline();
    var recorded = new RecordedPage(pipeline, after);
    pipeline.run();
    return recorded.page();
  }

  /** The rows of a page, one more than its size if there is another page. */
  private final class RecordedPage {
    private final List<Recorded> rows = new ArrayList<>();
    private boolean isTruncated;

    RecordedPage(Pipeline pipeline, long after) throws SQLException {
      pipeline.query(
          RECORDED,
          List.of(id.workspace().name(), id.uuid(), step, after, Recorded.MAX_LISTED + 1),
          found -> {
            if (SizeBoundedSelect.isTruncated(found)) {
              isTruncated = true;
            } else {
              var row = new Row(found);
              rows.add(
                  new Recorded(
                      row.text(RUN_STEP.NAME),
                      row.number(RUN_STEP.VERSION),
                      RunEventRows.payload(row).orElseThrow(),
                      PartColumns.traits(row)));
            }
          });
    }

    Page<Recorded, Long> page() {
      var page = List.copyOf(rows.subList(0, Math.min(Recorded.MAX_LISTED, rows.size())));
      return new Page<>(
          page,
          isTruncated || rows.size() > Recorded.MAX_LISTED
              ? Optional.of(page.getLast().version())
              : Optional.empty());
    }
  }
}
