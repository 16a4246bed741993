package dev.hapax.domain.run;

/** What became of a start. */
public sealed interface StartOutcome {
  record Created(Run run) implements StartOutcome {}

  /** The key led to this run; nothing was started. */
  record Existing(RunId run) implements StartOutcome {}

  /** The key led to this run, which was asked for otherwise; nothing was started. */
  record KeyReused(RunId run) implements StartOutcome {}

  /** Nothing was decided: whether the key is forgotten depends on this run. */
  record KnowFirst(RunId run) implements StartOutcome {}
}
