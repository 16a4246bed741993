package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads.SignalOutput;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.ReadSession;
import dev.hapax.postgres.read.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/** Reads the outputs of signal steps from the events that completed them. */
final class SignalOutputs {
  private static final List<Field<?>> OUTPUT = List.of(RUN_EVENT.JSON, RUN_EVENT.BYTES);

  private static final UnnestRows<Integer> STEPS =
      new UnnestRows<>(
          "k", List.of(new Column<Integer>(RUN_EVENT.STEP.getName(), Kind.INT, step -> step)));

  /** Each was completed once, so the scan ends with the last of them. */
  private static final String OF_RUN =
      RenderedSql.text(
          SizeBoundedSelect.of(
              DSL.select(RUN_EVENT.VERSION, RUN_EVENT.STEP)
                  .select(OUTPUT)
                  .from(RUN_EVENT)
                  .where(
                      RUN_EVENT.WORKSPACE.eq((String) null),
                      RUN_EVENT.RUN_ID.eq((UUID) null),
                      isCompletion(),
                      DSL.condition(RUN_EVENT.STEP.getName() + " = ANY (?::int4[])", new Object[1]))
                  .orderBy(RUN_EVENT.VERSION)
                  .limit(DSL.val(0)),
              RUN_EVENT.VERSION,
              OUTPUT));

  private static final UnnestRows<SignalStep> EACH =
      new UnnestRows<>(
          "k",
          Stream.concat(
                  RunColumns.key(RUN_EVENT.RUN_ID, SignalStep::run).stream(),
                  Stream.of(
                      new Column<SignalStep>(RUN_EVENT.STEP.getName(), Kind.INT, SignalStep::step)))
              .toList());

  private static final String OF_EACH = RenderedSql.text(ofEach());

  /** A signal step of a run. */
  record SignalStep(RunId run, int step) {}

  private SignalOutputs() {}

  private static Condition isCompletion() {
    return EventType.isOneOf(EventType.STEP_COMPLETED);
  }

  private static Select<?> ofEach() {
    var completion =
        DSL.select(OUTPUT)
            .from(RUN_EVENT)
            .where(
                RUN_EVENT.WORKSPACE.eq(EACH.get(RUN_EVENT.WORKSPACE)),
                RUN_EVENT.RUN_ID.eq(EACH.get(RUN_EVENT.RUN_ID)),
                isCompletion(),
                RUN_EVENT.STEP.eq(EACH.get(RUN_EVENT.STEP)))
            .orderBy(RUN_EVENT.VERSION)
            .limit(DSL.inline(1))
            .asTable("e");
    return SizeBoundedSelect.of(
        DSL.select(EACH.number())
            .select(completion.fields())
            .from(EACH.table(), DSL.lateral(completion)),
        EACH.number(),
        OUTPUT);
  }

  /** Returns the outputs of these steps of a run, in their order, as far as they fit. */
  static List<SignalOutput> of(ReadSession session, RunId id, List<Integer> steps)
      throws SQLException {
    var outputs = new ArrayList<SignalOutput>(steps.size());
    var parameters = new ArrayList<Object>(List.of(id.workspace().name(), id.uuid()));
    parameters.addAll(STEPS.parameters(steps));
    parameters.add(steps.size());
    var pipeline = session.pipeline();
    pipeline.query(
        OF_RUN,
        parameters,
        found -> {
          if (!SizeBoundedSelect.isTruncated(found)) {
            var row = new Row(found);
            outputs.add(new SignalOutput(row.integer(RUN_EVENT.STEP), RunEventRows.payload(row)));
          }
        });
    pipeline.run();
    return outputs;
  }

  /** Returns the outputs of steps of many runs. */
  static Map<SignalStep, SignalOutput> of(ReadSession session, List<SignalStep> steps)
      throws SQLException {
    var outputs = new HashMap<SignalStep, SignalOutput>();
    for (var left = steps; !left.isEmpty(); ) {
      var asked = left;
      var tooLarge = new ArrayList<SignalStep>();
      var pipeline = session.pipeline();
      pipeline.query(
          OF_EACH,
          EACH.parameters(asked),
          found -> {
            var step = asked.get(found.getInt(1) - 1);
            if (SizeBoundedSelect.isTruncated(found)) {
              tooLarge.add(step);
            } else {
              outputs.put(
                  step, new SignalOutput(step.step(), RunEventRows.payload(new Row(found))));
            }
          });
      pipeline.run();
      left = tooLarge;
    }
    return outputs;
  }
}
