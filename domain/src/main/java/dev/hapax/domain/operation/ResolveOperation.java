package dev.hapax.domain.operation;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Instant;
import java.util.Optional;

/**
 * Resolves an operation on behalf of an operator, and fences off its holder.
 *
 * @param nonce random, for the operator's grant
 */
public record ResolveOperation(OperationId id, long nonce, Request request, Verdict verdict)
    implements OperationCommand<ResolveOutcome> {

  /**
   * The operator's request: its id, author and reason.
   *
   * @param id the operator's nonce, so that a repeated call changes nothing
   */
  public record Request(String id, Attribution by) {}

  /** The operator's decision. */
  public sealed interface Verdict {
    /** The payload to store. */
    default Optional<Payload> payload() {
      return switch (this) {
        case Complete done -> done.result();
        case Reject rejected -> rejected.failure().details();
        case Release _ -> Optional.empty();
      };
    }

    /** The operation took effect; an empty result is void. */
    record Complete(Optional<Payload> result) implements Verdict {}

    /** The operation did not take effect and must not be retried. */
    record Reject(Failure failure) implements Verdict {}

    /** The operation did not take effect and may be retried, or its result is discarded. */
    record Release() implements Verdict {}
  }

  @Override
  public Urgency urgency() {
    // after earlier calls in the queue: an operator can wait, and decides about what has begun
    // before
    return Urgency.START;
  }

  @Override
  public int size() {
    return 1024 + verdict.payload().map(Payload::size).orElse(0);
  }

  @Override
  public ResolveOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(id).filter(operation -> !operation.isForgotten(now));
    if (found.isEmpty()) {
      return new ResolveOutcome.NotFound();
    }
    var operation = found.get();
    if (operation.subject().isResolvedBy(request.id())) {
      return new ResolveOutcome.Resolved(operation, true);
    }
    return switch (operation) {
      case Operation.InProgress _, Operation.Indeterminate _ -> resolve(records, now, operation);
      case Operation.Released _, Operation.Completed _, Operation.Rejected _ ->
          verdict instanceof Verdict.Release
              ? resolve(records, now, operation)
              : new ResolveOutcome.NotAllowed(operation);
    };
  }

  private ResolveOutcome resolve(BatchRecords records, Instant now, Operation operation) {
    var grant = operation.grant().resolvedBy(this, now);
    var resolution = new OperationSubject.Resolution(request.id(), request.by(), grant.fence());
    var subject = operation.subjectOfNextGrant().resolvedBy(resolution);
    var resolved =
        switch (verdict) {
          case Verdict.Complete v ->
              new Operation.Completed(subject, grant, now, v.result(), Optional.empty());
          case Verdict.Reject v -> new Operation.Rejected(subject, grant, now, v.failure());
          case Verdict.Release _ -> new Operation.Released(subject, grant, now, Optional.empty());
        };
    records.put(id, resolved);
    return new ResolveOutcome.Resolved(resolved, false);
  }
}
