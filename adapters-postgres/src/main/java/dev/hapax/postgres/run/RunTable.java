package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.definition.Definitions;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.Sent;
import dev.hapax.postgres.ledger.Sql;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Runs: the row in {@code run}, which is what rivals lock; what has happened since goes to {@code
 * run_event}, whose key refuses a second event of one version.
 */
public final class RunTable implements RecordTable<RunId, Run> {
  static final Comparator<RunId> ORDER =
      Comparator.comparing(RunId::workspace).thenComparing(RunId::uuid);

  private static final List<Field<?>> KEY = List.of(RUN.WORKSPACE, RUN.ID);
  private static final Insertion<Run> INSERT =
      new Insertion<>(
          RUN,
          new Sent<>("u", RunColumns.key(Run::id))
              .with(RunColumns.ORIGIN)
              .with(RunColumns.MOVING)
              .with(RunColumns.STATE)
              .with(RunColumns.OUTPUT));

  private final RunLoad load;

  public RunTable(Definitions definitions) {
    this.load = new RunLoad(definitions);
  }

  /** What an update sends: a signal that arrived changes little, and the large columns may stay. */
  private enum Update {
    INBOX(RunColumns.INBOX),
    MOVING(RunColumns.MOVING),
    STATE(RunColumns.concat(RunColumns.MOVING, RunColumns.STATE)),
    OUTPUT(RunColumns.concat(RunColumns.MOVING, RunColumns.OUTPUT)),
    BOTH(RunColumns.concat(STATE.columns, RunColumns.OUTPUT));

    private final List<Column<Run>> columns;
    private final Sent<Run> sent;
    private final String statement;

    Update(List<Column<Run>> columns) {
      this.columns = columns;
      this.sent = new Sent<>("u", RunColumns.key(Run::id)).with(columns);
      this.statement = update(sent, columns);
    }

    static Update of(Write<RunId, Run> write) {
      var before = before(write);
      var after = after(write);
      if (onlyReceived(before, after)) {
        return INBOX;
      }
      if (before.state().equals(after.state())) {
        return before.output().equals(after.output()) ? MOVING : OUTPUT;
      }
      return before.output().equals(after.output()) ? STATE : BOTH;
    }

    /** The version and the inbox are different, and nothing else. */
    private static boolean onlyReceived(Run before, Run after) {
      return before.phase().equals(after.phase())
          && before.position().equals(after.position())
          && before.tokens().equals(after.tokens())
          && before.origin().equals(after.origin())
          && before.startedAt().equals(after.startedAt())
          && before.named() == after.named()
          && before.state().equals(after.state())
          && before.output().equals(after.output());
    }
  }

  /**
   * The row is there and locked; said so, because a join could be planned as a scan of the table.
   * What is not sent stays, and only has to be something.
   */
  private static String update(Sent<Run> sent, List<Column<Run>> changing) {
    var excluded = new LinkedHashMap<Field<?>, Field<?>>();
    for (var column : changing) {
      var field = DSL.field(DSL.name(column.name()));
      excluded.put(field, DSL.field("excluded.{0}", field));
    }
    var names = sent.names().stream().map(Field::getName).toList();
    var kept =
        Stream.of(RUN.fields())
            .filter(field -> !field.getDataType().nullable() && !names.contains(field.getName()))
            .toList();
    return Sql.exactly(
        RUN.getName(),
        DSL.insertInto(RUN, Stream.concat(sent.names().stream(), kept.stream()).toList())
            .select(
                DSL.select(sent.all())
                    .select(kept.stream().map(RunTable::something).toList())
                    .from(sent.table()))
            .onConflict(KEY)
            .doUpdate()
            .set(excluded)
            .where(RUN.VERSION.le(DSL.excluded(RUN.VERSION)))
            .returning(DSL.one()));
  }

  private static Field<?> something(Field<?> field) {
    var type = field.getDataType();
    if (type.isNumeric()) {
      return DSL.inline(1);
    }
    if (type.isBoolean()) {
      return DSL.inline(false);
    }
    return type.isTemporal() ? DSL.currentOffsetDateTime() : DSL.inline("");
  }

  @Override
  public Class<RunId> keys() {
    return RunId.class;
  }

  @Override
  public Comparator<RunId> lockOrder() {
    return ORDER;
  }

  @Override
  public void lock(Pipeline pipeline, List<RunId> keys, Loading<RunId, Run> loading) {
    load.lock(pipeline, keys, loading);
  }

  @Override
  public void lookUp(Pipeline pipeline, List<RunId> absent, Loading<RunId, Run> loading) {}

  @Override
  public void insert(Pipeline pipeline, List<Write<RunId, Run>> writes) {
    var created = writes.stream().filter(w -> w.before() == null).map(RunTable::after).toList();
    INSERT.add(pipeline, created);
    LabelTable.insert(pipeline, created);
    EventTable.insert(pipeline, writes.stream().map(RunTable::after).toList());
  }

  @Override
  public void change(Pipeline pipeline, List<Write<RunId, Run>> writes) {
    writes.stream()
        .filter(w -> w.before() != null)
        .collect(
            Collectors.groupingBy(
                Update::of,
                () -> new EnumMap<>(Update.class),
                Collectors.mapping(RunTable::after, Collectors.toList())))
        .forEach((update, runs) -> pipeline.write(update.statement, update.sent, runs));
  }

  @Override
  public void verify(Pipeline pipeline, List<Write<RunId, Run>> writes) {}

  private static Run before(Write<RunId, Run> write) {
    return some(write.key(), write.before());
  }

  private static Run after(Write<RunId, Run> write) {
    return some(write.key(), write.after());
  }

  private static Run some(RunId id, @Nullable Run run) {
    if (run == null) {
      throw new IllegalArgumentException(id + " cannot be removed");
    }
    return run;
  }
}
