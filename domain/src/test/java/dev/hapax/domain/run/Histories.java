package dev.hapax.domain.run;

import java.util.List;

/** Gives runs histories of another length, which no test could write. */
public final class Histories {
  private Histories() {}

  /** The same run as if it already had so many events. */
  public static Run at(Run run, long version) {
    return new Run(
        run.id(),
        run.definition(),
        run.origin(),
        version,
        run.position(),
        run.phase(),
        run.state(),
        run.output(),
        run.inbox(),
        run.named(),
        run.tokens(),
        run.startedAt(),
        run.deadlines(),
        run.details(),
        run.stepTurn(),
        run.definitionTurn(),
        List.of());
  }
}
