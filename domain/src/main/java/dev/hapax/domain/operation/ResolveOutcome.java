package dev.hapax.domain.operation;

/** The outcome of {@link ResolveOperation}. */
public sealed interface ResolveOutcome {
  /** The operation as it is now; already = resolved by an earlier call with the same request id. */
  record Resolved(Operation operation, boolean already) implements ResolveOutcome {}

  record NotFound() implements ResolveOutcome {}

  /** The state of the operation does not allow this resolution. */
  record NotAllowed(Operation standing) implements ResolveOutcome {}
}
