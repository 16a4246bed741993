package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_LABEL;

import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Column;
import dev.hapax.postgres.ledger.Column.Kind;
import dev.hapax.postgres.ledger.Insertion;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.UnnestRows;
import java.util.List;

/** The table {@code run_label}, by which lists find runs. */
final class LabelTable {
  private static final Insertion<Label> INSERT =
      new Insertion<>(
          RUN_LABEL,
          new UnnestRows<>("u", RunColumns.key(RUN_LABEL.RUN_ID, Label::run))
              .with(
                  List.of(
                      new Column<>(RUN_LABEL.NAME.getName(), Kind.TEXT, Label::name),
                      new Column<>(RUN_LABEL.VALUE.getName(), Kind.TEXT, Label::value))));

  private record Label(RunId run, String name, String value) {}

  private LabelTable() {}

  static void insert(Pipeline pipeline, List<Run> created) {
    INSERT.add(
        pipeline,
        created.stream()
            .flatMap(
                run ->
                    run.origin().labels().entrySet().stream()
                        .map(label -> new Label(run.id(), label.getKey(), label.getValue())))
            .toList());
  }
}
