package dev.hapax.client.claim;

import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.HolderCalls;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.EntityRpcs;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteActionResponse;
import dev.hapax.v1.Entity;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailActionResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.Payload;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the end of an action, retrying until it is recorded or time runs out. */
final class ActionCompletion {

  private static final Logger log = LoggerFactory.getLogger(ActionCompletion.class);

  private static final String NOT_COMMITTED =
      "the transaction that completed the action was not committed";

  private final HolderCalls calls;
  private final UnaryCalls reads;
  private final String workspace;
  private final String actor;

  ActionCompletion(HolderCalls calls, UnaryCalls reads, String workspace, String actor) {
    this.calls = calls;
    this.reads = reads;
    this.workspace = workspace;
    this.actor = actor;
  }

  /** Records the result of an action. The lease is renewed until it is recorded. */
  <T extends @Nullable Object> CompletableFuture<ActionOutcome<T>> recordResult(
      RunningAction action, ActionResult<? extends T> result) {
    if (result instanceof ActionResult.Success<? extends T> success) {
      return action.completion() == null ? completed(action, success) : committed(action, result);
    }
    if (result instanceof ActionResult.Failure<? extends T> failure) {
      return failed(
          action,
          result,
          fail(action, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE, failure.message()),
          entity -> new ActionOutcome.Failed<>(failure.message(), entity));
    }
    String why = ((ActionResult.Invalid<? extends T>) result).message();
    return failed(
        action,
        result,
        fail(action, ActionFailureKind.ACTION_FAILURE_KIND_INVALID, why),
        entity -> new ActionOutcome.Invalid<>(why, entity));
  }

  private <T extends @Nullable Object> CompletableFuture<ActionOutcome<T>> completed(
      RunningAction action, ActionResult.Success<? extends T> success) {
    return complete(action, success.output())
        .handle(
            (response, error) -> {
              action.stopRenewals();
              if (response == null) {
                return unrecorded(action, success, error);
              }
              return response.hasClaimLost()
                  ? lost(action, response.getClaimLost(), null)
                  : new ActionOutcome.Ran<T>(success.value(), response.getCompleted().getEntity());
            });
  }

  private <T extends @Nullable Object> CompletableFuture<ActionOutcome<T>> failed(
      RunningAction action,
      ActionResult<? extends T> result,
      CompletableFuture<FailActionResponse> sent,
      Function<Entity, ActionOutcome<T>> outcome) {
    return sent.handle(
            (response, error) -> {
              action.stopRenewals();
              if (response == null) {
                return ActionCompletion.<T>unrecorded(action, result, error);
              }
              return response.hasClaimLost()
                  ? ActionCompletion.<T>lostOrRan(action, response.getClaimLost(), null)
                  : outcome.apply(response.getFailed().getEntity());
            })
        .thenCompose(this::withEntity);
  }

  /**
   * Records an exception of the action.
   *
   * @return empty = the exception is the outcome
   */
  <T extends @Nullable Object> CompletableFuture<Optional<ActionOutcome<T>>> recordException(
      RunningAction action, Throwable thrown) {
    return fail(action, ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION, thrown.toString())
        .handle(
            (response, error) -> {
              action.stopRenewals();
              if (response == null) {
                return ActionCompletion.<T>unrecordedException(action, error);
              }
              return response.hasClaimLost()
                  ? Optional.of(
                      ActionCompletion.<T>lostOrRan(action, response.getClaimLost(), thrown))
                  : Optional.<ActionOutcome<T>>empty();
            })
        .thenCompose(
            outcome ->
                outcome.isPresent()
                    ? withEntity(outcome.get()).thenApply(Optional::of)
                    : CompletableFuture.completedFuture(outcome));
  }

  private static <T extends @Nullable Object> Optional<ActionOutcome<T>> unrecordedException(
      RunningAction action, @Nullable Throwable error) {
    if (action.completion() != null) {
      return Optional.of(unrecorded(action, ActionCompletion.<T>completion(action), error));
    }
    log.warn(
        "recording the failure of claim {} failed, leaving it to its lease", id(action), error);
    return Optional.empty();
  }

  /**
   * The outcome of an action that was completed in a transaction. It asks only by FailAction: if
   * the transaction was not committed, CompleteAction would complete the action without its writes.
   * FailAction waits for a transaction that is still open.
   */
  private <T extends @Nullable Object> CompletableFuture<ActionOutcome<T>> committed(
      RunningAction action, ActionResult<? extends T> result) {
    if (action.isCommitted()) {
      action.stopRenewals();
      return withEntity(ActionCompletion.<T>ran(action));
    }
    return failed(
        action,
        result,
        fail(action, ActionFailureKind.ACTION_FAILURE_KIND_FAILURE, NOT_COMMITTED),
        entity -> new ActionOutcome.Failed<>(NOT_COMMITTED, entity));
  }

  private static <T extends @Nullable Object> ActionOutcome<T> lostOrRan(
      RunningAction action, ClaimLost lost, @Nullable Throwable failure) {
    return action.completion() != null
            && lost.getReason() == ClaimLostReason.CLAIM_LOST_REASON_ENDED
        ? ran(action)
        : lost(action, lost, failure);
  }

  private static <T extends @Nullable Object> ActionOutcome<T> ran(RunningAction action) {
    return new ActionOutcome.Ran<>(ActionCompletion.<T>completion(action).value(), action.entity());
  }

  // complete() got the result that the action was to return
  @SuppressWarnings("unchecked")
  private static <T extends @Nullable Object> ActionResult.Success<T> completion(
      RunningAction action) {
    return (ActionResult.Success<T>) Objects.requireNonNull(action.completion());
  }

  /** Reads the entity after its transition. If Hapax is unreachable, the action has run, too. */
  private <T extends @Nullable Object> CompletableFuture<ActionOutcome<T>> withEntity(
      ActionOutcome<T> outcome) {
    if (!(outcome instanceof ActionOutcome.Ran<T> ran)) {
      return CompletableFuture.completedFuture(outcome);
    }
    GetEntityRequest request =
        GetEntityRequest.newBuilder()
            .setWorkspace(workspace)
            .setLifecycle(ran.entity().getLifecycle())
            .setEntityId(ran.entity().getId())
            .build();
    return reads
        .send(EntityRpcs.GET_ENTITY, request)
        .handle(
            (response, error) ->
                response == null
                    ? ran
                    : new ActionOutcome.Ran<>(ran.value(), response.getEntity()));
  }

  /** Releases the entity of an action that has not begun. */
  void releaseGrant(RunningAction action) {
    var unused =
        fail(
                action,
                ActionFailureKind.ACTION_FAILURE_KIND_FAILURE,
                "not begun: the caller stopped waiting before the grant")
            .whenComplete((response, error) -> action.stopRenewals());
  }

  private CompletableFuture<CompleteActionResponse> complete(
      RunningAction action, @Nullable Payload output) {
    action.lease().workEnded();
    if (action.lease().isRevoked()) {
      return CompletableFuture.completedFuture(
          CompleteActionResponse.newBuilder().setClaimLost(claimLost(action)).build());
    }
    CompleteActionRequest.Builder request =
        CompleteActionRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(action.lease().claim())
            .setActor(actor);
    if (output != null) {
      request.setOutput(output);
    }
    return calls
        .send(EntityRpcs.COMPLETE_ACTION, request.build(), action.lease())
        .thenApply(RetryingCalls.Answer::response);
  }

  private CompletableFuture<FailActionResponse> fail(
      RunningAction action, ActionFailureKind kind, String message) {
    action.lease().workEnded();
    if (action.lease().isRevoked() && action.completion() == null) {
      return CompletableFuture.completedFuture(
          FailActionResponse.newBuilder().setClaimLost(claimLost(action)).build());
    }
    FailActionRequest.Builder request =
        FailActionRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(action.lease().claim())
            .setKind(kind)
            .setMessage(FailureText.message(message))
            .setActor(actor);
    return calls
        .send(EntityRpcs.FAIL_ACTION, request.build(), action.lease())
        .thenApply(RetryingCalls.Answer::response);
  }

  private static ClaimLost claimLost(RunningAction action) {
    // a builder refuses a reason that this client does not know
    ClaimLostReason reason = action.reason();
    return reason == ClaimLostReason.UNRECOGNIZED
        ? ClaimLost.getDefaultInstance()
        : ClaimLost.newBuilder().setReason(reason).build();
  }

  private static <T extends @Nullable Object> ActionOutcome<T> lost(
      RunningAction action, ClaimLost lost, @Nullable Throwable failure) {
    action.lease().revoke(lost.getReason());
    return new ActionOutcome.ClaimLost<>(lost.getReason(), failure);
  }

  private static <T extends @Nullable Object> ActionOutcome<T> unrecorded(
      RunningAction action, ActionResult<? extends T> result, @Nullable Throwable error) {
    log.error("the end of claim {} may not be recorded: no response from Hapax", id(action), error);
    return new ActionOutcome.Unrecorded<>(result, UnaryCalls.statusOf(error));
  }

  private static String id(RunningAction action) {
    return action.lease().claim().getId();
  }
}
