package dev.hapax.domain.operation;

/** What a Resolve is told. */
public sealed interface ResolveOutcome {
  /** The operation as it is now; already = the same call came before and nothing was changed. */
  record Resolved(Operation operation, boolean already) implements ResolveOutcome {}

  record NotFound() implements ResolveOutcome {}

  /** What it is in does not allow this resolution. */
  record NotAllowed(Operation standing) implements ResolveOutcome {}
}
