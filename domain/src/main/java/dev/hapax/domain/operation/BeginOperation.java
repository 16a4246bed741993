package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.LeaseLimits;
import dev.hapax.domain.ledger.BatchRecords;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;

/**
 * Begins the operation of one idempotency key: grants it, replays its result, or reports its
 * holder.
 *
 * @param nonce random, for the grant that this command may create
 */
public record BeginOperation(
    OperationId id,
    OperationKey key,
    Fingerprint fingerprint,
    AttemptId attemptId,
    long nonce,
    Duration lease,
    Duration ttl,
    OnStale onStale,
    OnReleasedMismatch onReleasedMismatch)
    implements OperationCommand<BeginOutcome> {

  public BeginOperation {
    LeaseLimits.checked(lease);
    OperationLimits.checkedTtl(ttl);
  }

  @Override
  public Collection<OperationId> idempotencyKeys() {
    return keys();
  }

  @Override
  public Urgency urgency() {
    return Urgency.START;
  }

  @Override
  public int size() {
    return 512 + key.account().length() + key.operation().length() + key.requestId().length();
  }

  @Override
  public BeginOutcome decide(BatchRecords records, Instant now) {
    var found = records.get(id);
    if (found.isEmpty()) {
      return grant(
          records, now, Fence.first(now), 1, new OperationSubject(key, fingerprint), false);
    }
    var operation = found.get();
    var fence = operation.grant().fence().next(now);
    if (operation.isForgotten(now)) {
      var restarted = operation.subjectOfNextGrant().restarted(key, fingerprint);
      return grant(records, now, fence, 1, restarted, false);
    }
    if (isForeign(operation)) {
      return new BeginOutcome.AccountMismatch();
    }
    if (!operation.subject().fingerprint().equals(fingerprint) && !isCorrection(operation)) {
      return new BeginOutcome.KeyReused();
    }
    var nextAttempt = operation.grant().attempt() + 1;
    return switch (operation) {
      case Operation.InProgress held when held.attemptId().equals(attemptId) ->
          reenter(records, now, held);
      case Operation.InProgress held when held.isLive(now) ->
          new BeginOutcome.InProgress(held.grant(), Duration.between(now, held.leaseUntil()));
      case Operation.InProgress held
          when onStale == OnStale.HOLD || held.onStale() == OnStale.HOLD ->
          hold(records, now, held);
      case Operation.InProgress held ->
          grant(records, now, fence, nextAttempt, held.subject(), true);
      case Operation.Indeterminate held -> new BeginOutcome.Indeterminate(held.grant());
      case Operation.Released free ->
          grant(
              records,
              now,
              fence,
              nextAttempt,
              free.subjectOfNextGrant().withFingerprint(fingerprint),
              false);
      case Operation.Completed done -> new BeginOutcome.Replayed(replay(done));
      case Operation.Rejected done -> new BeginOutcome.Replayed(replay(done));
    };
  }

  private boolean isCorrection(Operation operation) {
    return operation instanceof Operation.Released
        && onReleasedMismatch == OnReleasedMismatch.ACCEPT;
  }

  private BeginOutcome grant(
      BatchRecords records,
      Instant now,
      Fence fence,
      int attempt,
      OperationSubject subject,
      boolean reclaimed) {
    var grant = new Grant(nonce, fence, attempt, key.account(), now, now.plus(ttl));
    records.put(id, new Operation.InProgress(subject, grant, attemptId, now.plus(lease), onStale));
    return new BeginOutcome.Acquired(
        new OperationClaim(id, nonce, fence), lease, lease, attempt, reclaimed, false);
  }

  private BeginOutcome reenter(BatchRecords records, Instant now, Operation.InProgress held) {
    var renewed = held.renewedUntil(now.plus(lease));
    records.put(id, renewed);
    var grant = renewed.grant();
    return new BeginOutcome.Acquired(
        new OperationClaim(id, grant.nonce(), grant.fence()),
        lease,
        Duration.between(now, renewed.leaseUntil()),
        grant.attempt(),
        false,
        true);
  }

  private BeginOutcome hold(BatchRecords records, Instant now, Operation.InProgress held) {
    records.put(id, Operation.Indeterminate.lapsed(held, now));
    return new BeginOutcome.Indeterminate(held.grant());
  }

  /**
   * The result of an account-changing operation is visible only to the accounts that began it (the
   * first one, and that of the grant that ended it) and to the account after the change.
   */
  private boolean isForeign(Operation operation) {
    if (!key.accountChanging()) {
      return false;
    }
    return switch (operation) {
      case Operation.InProgress _, Operation.Indeterminate _, Operation.Released _ -> false;
      case Operation.Completed done ->
          !began(done) && !done.accountAfter().equals(Optional.of(key.account()));
      case Operation.Rejected done -> !began(done);
    };
  }

  private boolean began(Operation operation) {
    return operation.subject().key().account().equals(key.account())
        || operation.grant().account().equals(key.account());
  }

  private static Replay replay(Operation ended) {
    return ended.replay().orElseThrow();
  }
}
