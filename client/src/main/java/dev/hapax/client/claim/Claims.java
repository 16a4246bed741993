package dev.hapax.client.claim;

import dev.hapax.client.HapaxClient;
import dev.hapax.client.HapaxException;
import dev.hapax.client.SqlCompletionException;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.HolderCalls;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.OwnTransaction;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.BeginActionResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs actions on entities, one holder at a time. Thread-safe.
 *
 * <pre>{@code
 * Claims claims = hapax.claims();
 * ActionOutcome<Receipt> outcome =
 *     claims.run(
 *         EntityKey.of("billing", "invoice-17"),
 *         "close",
 *         "admin",
 *         action -> ActionResult.success(close("invoice-17", action.fence())));
 * Receipt receipt = outcome.orThrow();
 * }</pre>
 *
 * <p>See {@link HapaxClient} for retries. While an action runs, the client renews its lease every
 * third of it.
 */
public final class Claims {

  private final ClaimSettings settings;
  private final ActionCompletion completion;

  /** Internal; see {@link HapaxClient#claims}. */
  public Claims(ClientConnection connection) {
    this(ClaimSettings.of(connection));
  }

  private Claims(ClaimSettings settings) {
    this.settings = settings;
    this.completion =
        new ActionCompletion(
            new HolderCalls(settings.transport(), settings.options().recordTimeout()),
            new UnaryCalls(settings.transport(), settings.options().callTimeout()),
            settings.options().workspace(),
            settings.actor());
  }

  /**
   * Returns a copy that renews a lease for at most this long, so that an action that never ends
   * does not keep its entity. Default 1 h.
   */
  public Claims withHoldAtMost(Duration holdAtMost) {
    return new Claims(
        settings.withHoldAtMost(
            Limits.within("holdAtMost", holdAtMost, Duration.ofMillis(1), Duration.ofDays(365))));
  }

  /** Returns a copy that interrupts the thread of an action whose claim is lost. Default false. */
  public Claims withInterruptWhenLost(boolean interruptWhenLost) {
    return new Claims(settings.withInterruptWhenLost(interruptWhenLost));
  }

  /**
   * Returns a copy for another actor, at most 255 characters: the holder that histories and other
   * callers see.
   */
  public Claims as(String actor) {
    return new Claims(settings.withActor(KeyText.check("actor", actor)));
  }

  /** As {@link #run(ActionRequest, Action)}, with every default. */
  public <T extends @Nullable Object, E extends Exception> ActionOutcome<T> run(
      EntityKey entity, String step, String requester, Action<? extends T, E> action) throws E {
    return run(ActionRequest.of(entity, step, requester), action);
  }

  /**
   * Runs the action on this thread if the entity is granted, and returns the outcome. It blocks;
   * its calls to Hapax end in bounded time.
   *
   * <p>An exception of the action is recorded and rethrown, unless its claim was lost in the
   * meantime: then the outcome is {@link ActionOutcome.ClaimLost} with the exception.
   *
   * @throws HapaxException.Unavailable if Hapax is unreachable, or this thread is interrupted,
   *     before the action; it has not run, and the same call is safe to repeat
   * @throws HapaxException.Refused if Hapax rejects the request, for instance with
   *     ENTITY_NOT_FOUND, or with CONCURRENCY_ERROR if the entity does not have the {@link
   *     ActionRequest#expectedVersion}
   */
  public <T extends @Nullable Object, E extends Exception> ActionOutcome<T> run(
      ActionRequest request, Action<? extends T, E> action) throws E {
    var begun = UnaryCalls.await(new BeginActionCall(settings, completion, request).start());
    RunningAction running = begun.action();
    return running == null ? refused(begun.response()) : run(running, action);
  }

  /**
   * As {@link #run(ActionRequest, Action)}, with the writes of the action and its completion in one
   * transaction on the database of Hapax: both are committed, or neither. The client opens a
   * connection, calls the action, completes it and commits. The database role needs the grant
   * {@code complete_action} for the workspace, and the step a claim state.
   *
   * <pre>{@code
   * claims.run(
   *     ActionRequest.of(EntityKey.of("invoice", "I-17"), "apply_payment", "admin"),
   *     dataSource,
   *     (action, connection) -> {
   *       insertPayment(connection, "I-17", cents);
   *       return ActionResult.success(cents);
   *     });
   * }</pre>
   *
   * <p>If the connection is lost while it commits, the client finds out whether the transaction was
   * committed. The outcome is {@link ActionOutcome.Ran} if it was, and the exception is rethrown if
   * it was not. It is {@link ActionOutcome.Unrecorded} if Hapax does not respond for {@code
   * recordTimeout} and the lease. For a transaction of your own, see {@link
   * RunningAction#complete}.
   *
   * @throws SQLException if the database fails; nothing was committed, and the entity has its
   *     former status
   * @throws SqlCompletionException if Hapax refuses the completion, likewise
   */
  public <T extends @Nullable Object> ActionOutcome<T> run(
      ActionRequest request, DataSource database, TransactionalAction<? extends T> action)
      throws SQLException {
    return run(
        request,
        running ->
            OwnTransaction.commit(
                database,
                connection -> inTransaction(running, action, connection),
                running::committed));
  }

  private static <T extends @Nullable Object> ActionResult<? extends T> inTransaction(
      RunningAction running, TransactionalAction<? extends T> action, Connection connection)
      throws SQLException {
    ActionResult<? extends T> result =
        Objects.requireNonNull(action.run(running, connection), "the action returned null");
    if (result instanceof ActionResult.Success<? extends T>) {
      return running.complete(connection, result);
    }
    connection.rollback();
    return result;
  }

  private <T extends @Nullable Object, E extends Exception> ActionOutcome<T> run(
      RunningAction running, Action<? extends T, E> action) throws E {
    InterruptibleThread thread =
        settings.interruptWhenLost() ? new InterruptibleThread(running::onLost) : null;
    ActionResult<? extends T> result;
    try {
      result = Objects.requireNonNull(action.run(running), "the action returned null");
    } catch (Throwable thrown) {
      ended(thread);
      var instead = completion.<T>recordException(running, thrown).join();
      if (instead.isPresent()) {
        return instead.get();
      }
      throw thrown;
    }
    ended(thread);
    return completion.<T>recordResult(running, result).join();
  }

  private static void ended(@Nullable InterruptibleThread thread) {
    if (thread != null) {
      thread.ended();
    }
  }

  private static <T extends @Nullable Object> ActionOutcome<T> refused(
      BeginActionResponse response) {
    return switch (response.getOutcomeCase()) {
      case CLAIM_FAILED -> {
        var other = response.getClaimFailed();
        yield new ActionOutcome.ClaimFailed<>(
            other.getHolder(),
            ProtoTimes.toJava(other.getSince()),
            ProtoTimes.toJava(other.getLeaseRemaining()),
            other.getMessage());
      }
      case WRONG_STATUS -> new ActionOutcome.WrongStatus<>(response.getWrongStatus().getStatus());
      case NOT_ALLOWED -> new ActionOutcome.NotAllowed<>();
      case NEEDS_RECOVERY -> new ActionOutcome.NeedsRecovery<>();
      case GRANTED, OUTCOME_NOT_SET ->
          throw new IllegalStateException("a call fails if its outcome is unknown");
    };
  }
}
