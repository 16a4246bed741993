package dev.hapax.domain.operation;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;

/** Fails an operation: releases it, rejects it, or holds it as indeterminate. */
public record FailOperation(OperationClaim claim, Verdict verdict)
    implements OperationCommand<FailOutcome> {

  /** Whether the failed work took effect. */
  public sealed interface Verdict {
    Optional<Failure> failure();

    default RememberedCalls.Kind kind() {
      return switch (this) {
        case Retryable _ -> RememberedCalls.Kind.RETRYABLE;
        case Final _ -> RememberedCalls.Kind.FINAL;
        case UnknownEffect _ -> RememberedCalls.Kind.UNKNOWN_EFFECT;
      };
    }

    /** The work had no effect; the key is free again. */
    record Retryable(Optional<Failure> failure) implements Verdict {}

    /** The work failed for good; duplicates get this failure. */
    record Final(Failure cause) implements Verdict {
      @Override
      public Optional<Failure> failure() {
        return Optional.of(cause);
      }
    }

    /** It is unknown whether the work took effect. */
    record UnknownEffect(Optional<Failure> failure) implements Verdict {}
  }

  @Override
  public OperationId id() {
    return claim.id();
  }

  @Override
  public int size() {
    return 1024 + verdict.failure().flatMap(Failure::details).map(Payload::size).orElse(0);
  }

  @Override
  public FailOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(claim.id());
    if (found.isEmpty()) {
      return OperationClaimLost.of(claim, found);
    }
    if (!found.get().grant().isHeldBy(claim)) {
      return found.get().subject().earlier().hasFailed(claim, verdict.kind())
          ? already()
          : OperationClaimLost.of(claim, found);
    }
    var operation = found.get();
    return switch (operation) {
      case Operation.InProgress _ -> fail(records, now, operation);
      case Operation.Indeterminate held ->
          held.lapsed().isEmpty() && verdict instanceof Verdict.UnknownEffect
              ? already()
              : fail(records, now, operation);
      case Operation.Released _ ->
          verdict instanceof Verdict.Retryable ? already() : OperationClaimLost.of(claim, found);
      case Operation.Rejected _ ->
          verdict instanceof Verdict.Final ? already() : OperationClaimLost.of(claim, found);
      case Operation.Completed _ -> OperationClaimLost.of(claim, found);
    };
  }

  private FailOutcome fail(BatchRecords records, Instant now, Operation held) {
    var subject = held.subject();
    var grant = held.grant();
    records.put(
        claim.id(),
        switch (verdict) {
          case Verdict.Retryable v -> new Operation.Released(subject, grant, now, v.failure());
          case Verdict.Final v -> new Operation.Rejected(subject, grant, now, v.cause());
          case Verdict.UnknownEffect v ->
              new Operation.Indeterminate(subject, grant, now, v.failure(), Optional.empty());
        });
    return new FailOutcome.Failed(false);
  }

  private static FailOutcome already() {
    return new FailOutcome.Failed(true);
  }
}
