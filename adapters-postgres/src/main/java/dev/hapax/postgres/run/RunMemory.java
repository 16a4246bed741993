package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN;

import dev.hapax.domain.Payload;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.RecordMemory;
import dev.hapax.postgres.ledger.RowVersion;
import java.util.List;
import java.util.stream.Collectors;
import org.jooq.Field;

/** The runs that a worker holds: its next call will change them, most likely on this node. */
final class RunMemory {
  /** The columns that a write returns, to be {@linkplain #reader read}. */
  static final List<Field<?>> RETURNED = List.of(RUN.ID, RowVersion.of(RUN));

  /** Approximately, without payloads. */
  private static final int SIZE = 1_024;

  private final RecordMemory<RunId, Run> records =
      new RecordMemory<>(RUN.ID, RunId::uuid, RunMemory::size);

  RecordMemory<RunId, Run> records() {
    return records;
  }

  static boolean isWorthwhile(Run run) {
    return run.phase() instanceof Phase.Held;
  }

  /** Remembers these runs, once the write returns the versions of their rows. */
  Pipeline.Rows reader(List<Run> written) {
    return records.reader(
        written.stream()
            .filter(RunMemory::isWorthwhile)
            .collect(Collectors.toMap(Run::id, run -> run.with(List.of()))));
  }

  private static int size(Run run) {
    return SIZE
        + run.origin().input().size()
        + run.output().map(Payload::size).orElse(0)
        + run.details().map(Payload::size).orElse(0)
        + run.state().size();
  }
}
