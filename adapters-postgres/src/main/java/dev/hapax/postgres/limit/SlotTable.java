package dev.hapax.postgres.limit;

import static dev.hapax.postgres.schema.Tables.SLOT;

import dev.hapax.domain.limit.Slots;
import dev.hapax.domain.limit.Slots.Slot;
import dev.hapax.domain.limit.SlotsId;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.LoadedKey;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.RenderedSql;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.read.Row;
import dev.hapax.postgres.run.RunLoader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * The table {@code slot}, a row for each run that a limit admitted. The lock of the limit locks its
 * slots; a decision that changes them removes those that count no longer.
 */
public final class SlotTable implements RecordTable<SlotsId, Slots> {
  private static final UnnestRows<SlotsId> KEYS = new UnnestRows<>("k", key(id -> id));
  private static final Field<Boolean> COUNTS = DSL.field("counts", Boolean.class);
  private static final Field<Boolean> IS_LAST = DSL.field("is_last", Boolean.class);

  private static final String LOAD =
      RenderedSql.text(
          DSL.select(
                  KEYS.number(),
                  DSL.field("s.workspace"),
                  DSL.field("s.turn"),
                  DSL.field("s.run_id"),
                  DSL.field("s.counts"),
                  DSL.field("s.is_last"))
              .from(KEYS.table(), DSL.lateral(DSL.table("({0}) s", slots())))
              .orderBy(KEYS.number(), DSL.field("s.turn")));

  private record OfLimit(SlotsId slots, Slot slot) {}

  private static final UnnestRows<OfLimit> ROWS =
      new UnnestRows<>("u", key(OfLimit::slots))
          .with(List.of(new Column<>(SLOT.TURN.getName(), Kind.LONG, row -> row.slot().turn())));

  private static final Insertion<OfLimit> INSERT =
      new Insertion<>(
          SLOT,
          ROWS.with(
              List.of(
                  new Column<>(SLOT.RUN_ID.getName(), Kind.UUID, row -> row.slot().run().uuid()))));

  private static final String DELETE =
      RenderedSql.text(
          DSL.deleteFrom(SLOT)
              .where(
                  RenderedSql.isAt(SLOT, ROWS, isOf(ROWS).and(SLOT.TURN.eq(ROWS.get(SLOT.TURN))))));

  private static <R> List<Column<R>> key(Function<R, SlotsId> id) {
    return List.of(
        new Column<>(SLOT.WORKSPACE.getName(), Kind.TEXT, row -> id.apply(row).workspace().name()),
        new Column<>(SLOT.HASH.getName(), Kind.UUID, row -> id.apply(row).limit().hash()));
  }

  private static Condition isOf(UnnestRows<?> limits) {
    return SLOT.WORKSPACE.eq(limits.get(SLOT.WORKSPACE)).and(SLOT.HASH.eq(limits.get(SLOT.HASH)));
  }

  private static Select<?> slots() {
    return DSL.select(
            SLOT.WORKSPACE,
            SLOT.TURN,
            SLOT.RUN_ID,
            DSL.field(
                    DSL.exists(
                        RunLoader.admittedTo(SLOT.WORKSPACE, SLOT.RUN_ID, SLOT.HASH, SLOT.TURN)))
                .as(COUNTS),
            DSL.field(DSL.lead(SLOT.TURN).over().orderBy(SLOT.TURN).isNull()).as(IS_LAST))
        .from(SLOT)
        .where(isOf(KEYS));
  }

  @Override
  public Class<SlotsId> keys() {
    return SlotsId.class;
  }

  @Override
  public Comparator<SlotsId> lockOrder() {
    return Comparator.comparing(SlotsId::workspace).thenComparing(id -> id.limit().hash());
  }

  @Override
  public void lock(Pipeline pipeline, List<SlotsId> keys, Loading<SlotsId, Slots> loading) {
    var found = new HashMap<SlotsId, Found>();
    pipeline.query(
        LOAD,
        KEYS.parameters(keys),
        loaded -> {
          var row = new Row(loaded);
          var id = LoadedKey.of(loaded, keys);
          var all = found.computeIfAbsent(id, _ -> new Found(new ArrayList<>(), new ArrayList<>()));
          var slot =
              new Slot(row.number(SLOT.TURN), new RunId(id.workspace(), row.uuid(SLOT.RUN_ID)));
          (row.flag(COUNTS) ? all.taken() : all.dead()).add(slot);
          if (row.flag(IS_LAST)) {
            loading.found(id, new Slots(all.taken(), all.dead()));
          }
        });
  }

  private record Found(List<Slot> taken, List<Slot> dead) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<SlotsId, Slots>> writes) {
    INSERT.add(
        pipeline,
        writes.stream()
            .flatMap(
                write ->
                    write.kept().addedTo(before(write)).stream()
                        .map(slot -> new OfLimit(write.key(), slot)))
            .toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<SlotsId, Slots>> writes) {
    var dead =
        writes.stream()
            .flatMap(
                write -> before(write).dead().stream().map(slot -> new OfLimit(write.key(), slot)))
            .toList();
    if (!dead.isEmpty()) {
      pipeline.add(DELETE, ROWS.parameters(dead));
    }
  }

  private static Slots before(Write<SlotsId, Slots> write) {
    var before = write.before();
    return before == null ? Slots.NONE : before;
  }
}
