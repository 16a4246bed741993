package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.intent.PendingIntentColumn;
import dev.hapax.postgres.ledger.HeldRows;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.PendingIntents.Stored;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable.Held;
import dev.hapax.postgres.ledger.RecordTable.Loading;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.RowVersion;
import dev.hapax.postgres.ledger.SizeBoundedSelect;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.ReadSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.SelectConditionStep;
import org.jooq.impl.DSL;

/** Loads runs by their keys; leaves out those that are too large together. */
public final class RunLoader {
  static final List<Field<?>> KEY = List.of(RUN.WORKSPACE, RUN.ID);

  private static final List<Field<?>> LOADED =
      Stream.concat(
              Stream.of(RUN.fields()).filter(field -> !KEY.contains(field)),
              Stream.of(RowVersion.of(RUN)))
          .toList();

  private static final UnnestRows<RunId> KEYS = new UnnestRows<>("k", RunColumns.key(id -> id));

  private static final String LOCK =
      RenderedSql.text(
          byIndex(
              DSL.select(RUN.WORKSPACE).select(LOADED).from(RUN).where(isRow(KEYS)).forUpdate()));

  private static final String FIND =
      RenderedSql.text(
          byIndex(
              DSL.select(RUN.WORKSPACE)
                  .select(LOADED)
                  .from(RUN)
                  .where(isRow(KEYS))
                  .limit(DSL.inline(1))));

  private static final HeldRows<RunId> HELD = new HeldRows<>(RUN, KEY, RunColumns.key(id -> id));

  private final RunRows rows;

  public RunLoader(DefinitionCache definitions) {
    this.rows = new RunRows(definitions);
  }

  static Condition isRow(UnnestRows<?> keys) {
    return RUN.WORKSPACE.eq(keys.get(RUN.WORKSPACE)).and(RUN.ID.eq(keys.get(RUN.ID)));
  }

  /** Key by key, in their order: a join could be planned as a scan of the table. */
  private static Select<?> byIndex(Select<?> one) {
    var row = one.asTable("r");
    return SizeBoundedSelect.of(
        DSL.select(KEYS.number()).select(row.fields()).from(KEYS.table(), DSL.lateral(row)),
        KEYS.number(),
        RunRows.LARGE);
  }

  /** The run that waits at a place, found by its key; none if the place no longer counts. */
  public static Select<?> waitingAt(
      Field<String> workspace, Field<UUID> id, Field<UUID> line, Field<Long> turn) {
    return of(workspace, id)
        .and(RUN.TURN.eq(turn))
        .and(RUN.PHASE.eq(DSL.inline(RunRows.BLOCKED)))
        .and(RUN.LIMIT_HASHES.isNull().or(line.eq(DSL.any(RUN.LIMIT_HASHES))))
        .limit(DSL.inline(1));
  }

  /** The run that has a slot, found by its key; none if the slot no longer counts. */
  public static Select<?> admittedTo(
      Field<String> workspace, Field<UUID> id, Field<UUID> line, Field<Long> turn) {
    var isAtStep =
        RUN.TURN
            .eq(turn)
            .and(RUN.PHASE.in(DSL.inline(RunRows.READY), DSL.inline(RunRows.HELD)))
            .and(line.eq(DSL.any(RUN.LIMIT_HASHES)));
    return of(workspace, id)
        .and(isAtStep.or(RUN.DEFINITION_TURN.eq(turn).and(line.eq(DSL.any(RUN.DEFINITION_HASHES)))))
        .limit(DSL.inline(1));
  }

  private static SelectConditionStep<?> of(Field<String> workspace, Field<UUID> id) {
    return DSL.select(DSL.one()).from(RUN).where(RUN.WORKSPACE.eq(workspace), RUN.ID.eq(id));
  }

  void hold(Pipeline pipeline, List<Held<RunId>> held) {
    HELD.hold(pipeline, held);
  }

  void lock(Pipeline pipeline, List<RunId> ids, Loading<RunId, Run> loading) {
    load(LOCK, pipeline, ids, loading);
  }

  private void load(
      String statement, Pipeline pipeline, List<RunId> ids, Loading<RunId, Run> loading) {
    pipeline.query(
        statement,
        KEYS.parameters(ids),
        row -> {
          var id = LoadedKey.of(row, ids);
          if (SizeBoundedSelect.isTruncated(row)) {
            loading.deferred(id);
          } else {
            loading.found(id, rows.run(id, row), RowVersion.read(row));
            PendingIntentColumn.read(RUN.PENDING_INTENT, id, row, loading);
          }
        });
  }

  /** Finds runs without locking, in this order, up to the last that fits. */
  public Found find(ReadSession session, List<RunId> ids) throws SQLException {
    var found = new Found(new ArrayList<>(), new HashMap<>(), new ArrayList<>());
    var pipeline = session.pipeline();
    load(FIND, pipeline, ids, found);
    pipeline.run();
    return found;
  }

  /**
   * The runs that were found.
   *
   * @param pending the intents that are pending on them
   * @param leftOut the runs that were left out for their size
   */
  public record Found(List<Run> runs, Map<RunId, RecordKey<?>> pending, List<RunId> leftOut)
      implements Loading<RunId, Run> {
    @Override
    public void found(RunId id, Run run) {
      runs.add(run);
    }

    @Override
    public void deferred(RunId id) {
      leftOut.add(id);
    }

    @Override
    public void pending(RunId id, RecordKey<?> intent) {
      pending.put(id, intent);
    }

    List<Stored<Run>> stored() {
      return runs.stream()
          .map(run -> new Stored<>(run, Optional.ofNullable(pending.get(run.id()))))
          .toList();
    }
  }
}
