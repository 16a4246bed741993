package dev.hapax.domain.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Asks to do the work of one idempotency key.
 *
 * @param nonce drawn for the grant this command may become
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
    implements Command<BeginOutcome> {

  @Override
  public Workspace workspace() {
    return id.workspace();
  }

  @Override
  public Collection<OperationId> keys() {
    return List.of(id);
  }

  @Override
  public Object route() {
    return id;
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
  public BeginOutcome decide(World world, Instant now) {
    var found = world.get(id);
    if (found.isEmpty()) {
      return grant(world, now, Fence.first(now), 1, new OperationSubject(key, fingerprint), false);
    }
    var operation = found.get();
    var fence = operation.grant().fence().next(now);
    if (operation.isForgotten(now)) {
      var anew = operation.passedOn().begunAnew(key, fingerprint);
      return grant(world, now, fence, 1, anew, false);
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
          reenter(world, now, held);
      case Operation.InProgress held when held.isLive(now) ->
          new BeginOutcome.InProgress(held.grant(), Duration.between(now, held.leaseUntil()));
      case Operation.InProgress held
          when onStale == OnStale.HOLD || held.onStale() == OnStale.HOLD ->
          hold(world, now, held);
      case Operation.InProgress held -> grant(world, now, fence, nextAttempt, held.subject(), true);
      case Operation.Indeterminate held -> new BeginOutcome.Indeterminate(held.grant());
      case Operation.Released free ->
          grant(world, now, fence, nextAttempt, free.passedOn().asking(fingerprint), false);
      case Operation.Completed done -> new BeginOutcome.Replayed(replay(done));
      case Operation.Rejected done -> new BeginOutcome.Replayed(replay(done));
    };
  }

  private boolean isCorrection(Operation operation) {
    return operation instanceof Operation.Released
        && onReleasedMismatch == OnReleasedMismatch.ACCEPT;
  }

  private BeginOutcome grant(
      World world,
      Instant now,
      Fence fence,
      int attempt,
      OperationSubject subject,
      boolean reclaimed) {
    var grant = new Grant(nonce, fence, attempt, key.account(), now, now.plus(ttl));
    world.put(id, new Operation.InProgress(subject, grant, attemptId, now.plus(lease), onStale));
    return new BeginOutcome.Acquired(
        new OperationClaim(id, nonce, fence), lease, lease, attempt, reclaimed, false);
  }

  private BeginOutcome reenter(World world, Instant now, Operation.InProgress held) {
    var renewed = held.renewedUntil(now.plus(lease));
    world.put(id, renewed);
    var grant = renewed.grant();
    return new BeginOutcome.Acquired(
        new OperationClaim(id, grant.nonce(), grant.fence()),
        lease,
        Duration.between(now, renewed.leaseUntil()),
        grant.attempt(),
        false,
        true);
  }

  private BeginOutcome hold(World world, Instant now, Operation.InProgress held) {
    world.put(id, Operation.Indeterminate.lapsed(held, now));
    return new BeginOutcome.Indeterminate(held.grant());
  }

  /**
   * Of an account-changing operation that has an answer, only the accounts it was begun with (the
   * first one and that of the grant it ended by) and the account after learn anything.
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
