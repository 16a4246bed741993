package dev.hapax.domain.run;

import dev.hapax.domain.definition.DefinitionId;
import java.util.List;
import java.util.Optional;

/** What became of a start. */
public sealed interface StartOutcome {
  record Created(Run run) implements StartOutcome {}

  /** The key led to this run; nothing was started. */
  record Existing(RunId run) implements StartOutcome {}

  /** The key led to this run, which was asked for otherwise; nothing was started. */
  record KeyReused(RunId run) implements StartOutcome {}

  /** The token has an owner; nothing was started, and the key leads nowhere. */
  record Rejected(Run owner) implements StartOutcome {}

  /** The token has an owner, which stands for the request. */
  record UsedExisting(Run owner) implements StartOutcome {}

  /** The token has an owner, which has the signal and stands for the request. */
  record Signalled(Run owner, SignalDisposition disposition) implements StartOutcome {}

  /** The owner of the token takes no more signals; nothing was started. */
  record SignalRefused(Run owner, SignalOutcome.Full full) implements StartOutcome {}

  /**
   * The run was created, and has taken a token.
   *
   * @param from the runs that had one, as they are now; at least one
   */
  record Superseded(Run run, List<Run> from) implements StartOutcome {
    public Superseded {
      from = List.copyOf(from);
    }
  }

  /**
   * Nothing was started: the definition is not the version registered last.
   *
   * @param latest the version registered last; empty = no version of this name exists
   */
  record DefinitionOutdated(Optional<DefinitionId> latest) implements StartOutcome {}
}
