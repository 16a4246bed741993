package dev.hapax.domain.run;

import java.util.List;

/** The outcome of {@link RecordParts}. */
public sealed interface RecordPartsOutcome
    permits RecordPartsOutcome.Stored, PartsRefused, TaskLost {
  /** The reports are stored; a result for each, in their order. */
  record Stored(List<PartResult> results) implements RecordPartsOutcome {
    public Stored {
      results = List.copyOf(results);
    }
  }
}
