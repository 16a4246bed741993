package dev.hapax.client.claim;

import dev.hapax.client.HapaxException;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.ClaimRenewals;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.EntityRpcs;
import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RenewActionResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt to begin an action, with one attempt id over all retries. */
final class BeginActionCall {

  private static final Logger log = LoggerFactory.getLogger(BeginActionCall.class);

  private final ClaimSettings settings;
  private final ActionCompletion completion;
  private final BeginActionRequest request;
  private final Duration wait;
  private final CompletableFuture<Begun> begun = new CompletableFuture<>();

  /**
   * The result of the attempt.
   *
   * @param action set if the entity was granted
   */
  record Begun(BeginActionResponse response, @Nullable RunningAction action) {}

  BeginActionCall(ClaimSettings settings, ActionCompletion completion, ActionRequest wanted) {
    this.settings = settings;
    this.completion = completion;
    this.wait = wanted.maxWait();
    BeginActionRequest.Builder begin =
        BeginActionRequest.newBuilder()
            .setWorkspace(settings.options().workspace())
            .setLifecycle(wanted.entity().lifecycle())
            .setEntityId(wanted.entity().id())
            .setStepKey(wanted.step())
            .setRequester(wanted.requester())
            .setAttemptId(UUID.randomUUID().toString())
            .setExpectedVersion(wanted.expectedVersion())
            .setWait(ProtoTimes.toProto(wait))
            .setActor(settings.actor());
    Duration lease = wanted.lease();
    if (lease != null) {
      begin.setLease(ProtoTimes.toProto(lease));
    }
    this.request = begin.build();
  }

  /**
   * Begins the action. Fails with a {@link HapaxException}. A caller that stops waiting cancels the
   * future; a grant that arrives later is released at once, which is safe as the action has not
   * run.
   */
  CompletableFuture<Begun> start() {
    Duration bound = RetryingCalls.withinDeadline(settings.options().callTimeout().plus(wait));
    Timing.Timer end = settings.timing().after(bound, () -> failed(tooLate()));
    var unused = begun.whenComplete((any, error) -> end.cancel());
    var unusedToo =
        settings
            .transport()
            .sendUntilAnswered(EntityRpcs.BEGIN_ACTION, request, wait, bound)
            .whenComplete(this::answered);
    return begun;
  }

  private void answered(
      RetryingCalls.@Nullable Answer<BeginActionResponse> answer, @Nullable Throwable error) {
    if (answer == null) {
      failed(UnaryCalls.statusOf(error));
    } else if (answer.response().hasGranted()) {
      granted(answer, answer.response().getGranted());
    } else {
      begun.complete(new Begun(answer.response(), null));
    }
  }

  private void granted(
      RetryingCalls.Answer<BeginActionResponse> answer, BeginActionResponse.Granted granted) {
    ClaimLease lease =
        new ClaimLease(
            settings.timing(),
            granted.getClaim(),
            answer,
            ProtoTimes.toJava(granted.getLeaseRemaining()),
            settings.holdAtMost(),
            () -> settings.options().observer().lost(HolderKind.ACTION));
    Heartbeats heartbeats =
        new Heartbeats(
            settings.timing(),
            new ClaimRenewals<>(
                settings.transport(),
                EntityRpcs.RENEW_ACTION,
                renewal(granted.getClaim()),
                BeginActionCall::renewed));
    RunningAction action =
        new RunningAction(granted, lease, heartbeats, settings.options().workspace());
    if (!begun.complete(new Begun(answer.response(), action))) {
      log.debug("the caller stopped waiting, releasing claim {}", lease.claim().getId());
      completion.releaseGrant(action);
    }
  }

  private RenewActionRequest renewal(Claim claim) {
    RenewActionRequest.Builder renewal =
        RenewActionRequest.newBuilder()
            .setWorkspace(settings.options().workspace())
            .setClaim(claim);
    if (request.hasLease()) {
      renewal.setLease(request.getLease());
    }
    return renewal.build();
  }

  private static void renewed(ClaimLease lease, RetryingCalls.Answer<RenewActionResponse> answer) {
    RenewActionResponse response = answer.response();
    switch (response.getOutcomeCase()) {
      case RENEWED ->
          lease.renewed(answer, ProtoTimes.toJava(response.getRenewed().getLeaseRemaining()));
      case CLAIM_LOST -> lease.revoke(response.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }

  private void failed(StatusRuntimeException error) {
    begun.completeExceptionally(UnaryCalls.toException(error));
  }

  private static StatusRuntimeException tooLate() {
    return Status.DEADLINE_EXCEEDED.withDescription("no response in time").asRuntimeException();
  }
}
