package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.run.Run;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.UnnestRows;
import dev.hapax.postgres.run.RunEventColumns.EventRow;
import java.util.List;

/** The table {@code run_event}, append-only. */
final class RunEventTable {
  private static final Insertion<EventRow> INSERT =
      new Insertion<>(RUN_EVENT, new UnnestRows<>("u", RunEventColumns.ALL));

  private RunEventTable() {}

  /** Inserts the new events of these runs, given in lock order. */
  static void insert(Pipeline pipeline, List<Run> runs) {
    INSERT.add(pipeline, runs.stream().flatMap(run -> EventRow.of(run).stream()).toList());
  }
}
