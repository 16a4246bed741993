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

  /** Which of the large columns an update sends: those that are different. */
  private enum Update {
    NEITHER(List.of()),
    STATE(RunColumns.STATE),
    OUTPUT(RunColumns.OUTPUT),
    BOTH(RunColumns.concat(RunColumns.STATE, RunColumns.OUTPUT));

    private final Sent<Run> sent;
    private final String statement;

    Update(List<Column<Run>> large) {
      var changing = RunColumns.concat(RunColumns.MOVING, large);
      this.sent = new Sent<>("u", RunColumns.key(Run::id)).with(changing);
      this.statement = update(sent, changing);
    }

    static Update of(Write<RunId, Run> write) {
      var sameState = before(write).state().equals(after(write).state());
      var sameOutput = before(write).output().equals(after(write).output());
      if (sameState) {
        return sameOutput ? NEITHER : OUTPUT;
      }
      return sameOutput ? STATE : BOTH;
    }
  }

  /**
   * The row is there and locked; said so, because a join could be planned as a scan of the table.
   * What never changes is not sent, and only has to be something.
   */
  private static String update(Sent<Run> sent, List<Column<Run>> changing) {
    var text = DSL.inline("");
    var time = DSL.currentOffsetDateTime();
    var excluded = new LinkedHashMap<Field<?>, Field<?>>();
    for (var column : changing) {
      var field = DSL.field(DSL.name(column.name()));
      excluded.put(field, DSL.field("excluded.{0}", field));
    }
    return Sql.exactly(
        RUN.getName(),
        DSL.insertInto(
                RUN,
                Stream.concat(
                        sent.names().stream(),
                        Stream.of(
                            RUN.DEFINITION_NAME,
                            RUN.DEFINITION_VERSION,
                            RUN.CREATED_AT,
                            RUN.NOT_BEFORE))
                    .toList())
            .select(DSL.select(sent.all()).select(text, text, time, time).from(sent.table()))
            .onConflict(KEY)
            .doUpdate()
            .set(excluded)
            .where(RUN.VERSION.le(DSL.excluded(RUN.VERSION)))
            .returning(DSL.one()));
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
