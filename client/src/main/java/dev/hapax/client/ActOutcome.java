package dev.hapax.client;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What came of an action. A failure of the work is thrown, besides {@link InvalidAction}.
 *
 * @param <T> the result of the work
 */
public sealed interface ActOutcome<T extends @Nullable Object>
    permits ActOutcome.Done,
        ActOutcome.ClaimFailed,
        ActOutcome.WrongStatus,
        ActOutcome.NotAllowed,
        ActOutcome.NeedsRecovery,
        OnceOutcome.ClaimLost,
        OnceOutcome.Unrecorded {

  /** Returns the result, or throws the exception of the outcome. */
  T orThrow();

  /**
   * The action is completed.
   *
   * @param entity as it is now
   */
  record Done<T extends @Nullable Object>(T value, Entity entity) implements ActOutcome<T> {
    @Override
    public T orThrow() {
      return value;
    }
  }

  /**
   * Another action on the entity is in progress.
   *
   * @param leaseLeft when the holder can be replaced at the earliest, if it has died
   */
  record ClaimFailed<T extends @Nullable Object>(
      String holder, Instant since, Duration leaseLeft, String message) implements ActOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.ClaimFailed(holder, leaseLeft, message);
    }
  }

  /** The step does not start from this status. */
  record WrongStatus<T extends @Nullable Object>(String status) implements ActOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.WrongStatus(status);
    }
  }

  /** The lifecycle has no such step for the requester. */
  record NotAllowed<T extends @Nullable Object>() implements ActOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.NotAllowed();
    }
  }

  /** The janitor of the module must recover the entity first. */
  record NeedsRecovery<T extends @Nullable Object>() implements ActOutcome<T> {
    @Override
    public T orThrow() {
      throw new HapaxException.NeedsRecovery();
    }
  }
}
