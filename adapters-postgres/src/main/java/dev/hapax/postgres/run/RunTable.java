package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordMemory;
import dev.hapax.postgres.ledger.RecordTable;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The tables of runs: the row in {@code run} is locked by rivals; new events go to {@code
 * run_event}, whose key rejects a second event of one version.
 */
public final class RunTable implements RecordTable<RunId, Run> {
  static final Comparator<RunId> ORDER =
      Comparator.comparing(RunId::workspace).thenComparing(RunId::uuid);

  private static final Insertion<Run> INSERT =
      new Insertion<>(
          RUN,
          new UnnestRows<>("u", RunColumns.key(Run::id))
              .with(RunColumns.ORIGIN)
              .with(RunColumns.CHANGING)
              .with(RunColumns.STATE)
              .with(RunColumns.OUTPUT)
              .with(RunColumns.DETAILS));

  private static final Insertion<Run> INSERT_RETURNING = INSERT.returning(RunMemory.RETURNED);

  private final RunLoader load;
  private final RunUpdate update;
  private final RunMemory memory = new RunMemory();

  public RunTable(DefinitionCache definitions, DatabaseClock clock) {
    this.load = new RunLoader(definitions);
    this.update = new RunUpdate(clock);
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
  public Optional<RecordMemory<RunId, Run>> memory() {
    return Optional.of(memory.records());
  }

  @Override
  public void insert(Pipeline pipeline, List<Write<RunId, Run>> writes) {
    var created = writes.stream().filter(w -> w.before() == null).map(RunTable::after).toList();
    if (created.stream().anyMatch(RunMemory::isWorthwhile)) {
      INSERT_RETURNING.add(pipeline, created, memory.reader(created));
    } else {
      INSERT.add(pipeline, created);
    }
    LabelTable.insert(pipeline, created);
  }

  @Override
  public void hold(Pipeline pipeline, List<Held<RunId>> rows) {
    load.hold(pipeline, rows);
  }

  /** One statement updates all rows. */
  @Override
  public boolean changesInOrder(List<Write<RunId, Run>> writes) {
    return true;
  }

  @Override
  public void change(Pipeline pipeline, List<Write<RunId, Run>> writes) {
    update.add(
        pipeline,
        writes.stream().filter(write -> !write.isNew()).map(RunTable::changed).toList(),
        memory);
    LeftPlaces.remove(pipeline, writes);
    RunEventTable.insert(pipeline, writes.stream().map(RunTable::after).toList());
  }

  private static RunUpdate.Changed changed(Write<RunId, Run> write) {
    return new RunUpdate.Changed(before(write), after(write), write.replacedVersion());
  }

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
