package dev.hapax.client.claim;

import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Entity;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a call for an action ended. To come second is one of the answers, not an exception. In {@link
 * Ran}, {@link Failed}, {@link Invalid}, {@link ClaimLost} and {@link Unrecorded} the action has
 * run, in the others it has not.
 */
public sealed interface ActionOutcome<T extends @Nullable Object> {

  /**
   * What the action answered.
   *
   * @throws ActionException of the kind that matches any outcome but {@link Ran}
   */
  T orThrow();

  /**
   * The action succeeded, and the entity has moved.
   *
   * @param entity as it was right after it
   */
  record Ran<T extends @Nullable Object>(T value, Entity entity) implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * The action said that it came to nothing, and the entity is back where it was.
   *
   * @param entity as it was right after it
   */
  record Failed<T extends @Nullable Object>(String message, Entity entity)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.Failed(message);
    }
  }

  /**
   * The action said that what it was asked to do is not valid, and the entity is back where it was.
   *
   * @param entity as it was right after it
   */
  record Invalid<T extends @Nullable Object>(String message, Entity entity)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.Invalid(message);
    }
  }

  /**
   * Another operation is already in progress.
   *
   * @param holder who acts on the entity
   * @param since when it began
   * @param leaseRemaining of its lease, which it may renew
   * @param message for people
   */
  record ClaimFailed<T extends @Nullable Object>(
      String holder, Instant since, Duration leaseRemaining, String message)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.ClaimFailed(this);
    }
  }

  /**
   * Nobody acts on the entity, but the step does not lead from where it is.
   *
   * @param status where it is
   */
  record WrongStatus<T extends @Nullable Object>(String status) implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.WrongStatus(status);
    }
  }

  /** The lifecycle has no such step, or none for this requester. */
  record NotAllowed<T extends @Nullable Object>() implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.NotAllowed();
    }
  }

  /** Whoever acted on the entity is gone, and its module has to look first what was done. */
  record NeedsRecovery<T extends @Nullable Object>() implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.NeedsRecovery();
    }
  }

  /**
   * The action ran, but its claim was lost on the way: the entity did not move by it.
   *
   * @param reason why it was lost
   * @param failure what the action threw, if it did
   */
  record ClaimLost<T extends @Nullable Object>(ClaimLostReason reason, @Nullable Throwable failure)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.ClaimLost(reason, failure);
    }
  }

  /**
   * The action ran, but Hapax could not be told, or its answer did not come. If it was not told,
   * the entity is taken back when the lease is over.
   *
   * @param result what the action came to
   */
  record Unrecorded<T extends @Nullable Object>(
      ActionResult<? extends T> result, StatusRuntimeException cause) implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.Unrecorded(cause);
    }
  }
}
