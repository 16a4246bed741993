package dev.hapax.client.claim;

import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.Entity;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call for an action. A lost race is an outcome, not an exception. The action has
 * run in {@link Ran}, {@link Failed}, {@link Invalid}, {@link ClaimLost} and {@link Unrecorded},
 * and has not in the others.
 */
public sealed interface ActionOutcome<T extends @Nullable Object> {

  /**
   * Returns the value of the action.
   *
   * @throws ActionException of the type that matches any outcome but {@link Ran}
   */
  T orThrow();

  /**
   * The action succeeded, and the entity has made its transition.
   *
   * @param entity the entity right after it. If the action was completed in a transaction, the
   *     entity when it was read after that; or at the grant, if Hapax was unreachable
   */
  record Ran<T extends @Nullable Object>(T value, Entity entity) implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * The action reported a failure, and the entity has its former status.
   *
   * @param entity the entity right after it
   */
  record Failed<T extends @Nullable Object>(String message, Entity entity)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.Failed(message);
    }
  }

  /**
   * The action rejected its input as invalid, and the entity has its former status.
   *
   * @param entity the entity right after it
   */
  record Invalid<T extends @Nullable Object>(String message, Entity entity)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.Invalid(message);
    }
  }

  /**
   * Another action is in progress.
   *
   * @param holder the holder of the entity
   * @param since the begin of its action
   * @param leaseRemaining its remaining lease, which it may renew
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
   * The entity is free, but the step does not start from its status.
   *
   * @param status the status of the entity
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

  /**
   * The lease of the last holder expired, and the janitor of the module must recover the entity
   * first.
   */
  record NeedsRecovery<T extends @Nullable Object>() implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.NeedsRecovery();
    }
  }

  /**
   * The action ran, but its claim was lost: the entity made no transition by it.
   *
   * @param reason the reason of the loss
   * @param failure the exception of the action, if it threw
   */
  record ClaimLost<T extends @Nullable Object>(ClaimLostReason reason, @Nullable Throwable failure)
      implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.ClaimLost(reason, failure);
    }
  }

  /**
   * The action ran, but its end may not be recorded: Hapax was unreachable, or its response was
   * lost. If it is not recorded, the entity is reverted when the lease expires.
   *
   * @param result the result of the action
   */
  record Unrecorded<T extends @Nullable Object>(
      ActionResult<? extends T> result, StatusRuntimeException cause) implements ActionOutcome<T> {
    @Override
    public T orThrow() {
      throw new ActionException.Unrecorded(cause);
    }
  }
}
