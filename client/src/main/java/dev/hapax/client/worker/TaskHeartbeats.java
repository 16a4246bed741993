package dev.hapax.client.worker;

import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.rpc.WorkerRpcs;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.HeartbeatTasksResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the heartbeats of a worker: those that are due share a call. */
final class TaskHeartbeats implements Heartbeats.Renewals {

  private static final Logger log = LoggerFactory.getLogger(TaskHeartbeats.class);
  private static final int MAX_CLAIMS = 500;

  private final RetryingCalls transport;
  private final String workspace;

  TaskHeartbeats(RetryingCalls transport, String workspace) {
    this.transport = transport;
    this.workspace = workspace;
  }

  @Override
  public CompletableFuture<?> send(List<ClaimLease> due) {
    List<CompletableFuture<?>> sent = new ArrayList<>();
    for (int from = 0; from < due.size(); from += MAX_CLAIMS) {
      sent.add(beat(due.subList(from, Math.min(due.size(), from + MAX_CLAIMS))));
    }
    return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<?> beat(List<ClaimLease> due) {
    HeartbeatTasksRequest.Builder request =
        HeartbeatTasksRequest.newBuilder().setWorkspace(workspace);
    due.forEach(lease -> request.addClaims(lease.claim()));
    return transport
        .sendOnce(WorkerRpcs.HEARTBEAT_TASKS, request.build(), ClaimLease.renewalTimeout(due))
        .handle(
            (answer, error) -> {
              answered(due, answer, error);
              return null;
            });
  }

  private static void answered(
      List<ClaimLease> due,
      RetryingCalls.@Nullable Answer<HeartbeatTasksResponse> answer,
      @Nullable Throwable error) {
    if (answer == null || answer.response().getResultsCount() != due.size()) {
      log.debug("heartbeat of {} tasks failed, will retry", due.size(), error);
      due.forEach(ClaimLease::notRenewed);
    } else {
      for (int i = 0; i < due.size(); i++) {
        renewed(due.get(i), answer, answer.response().getResults(i));
      }
    }
  }

  private static void renewed(
      ClaimLease lease, RetryingCalls.Answer<?> answer, HeartbeatTasksResponse.Result result) {
    switch (result.getOutcomeCase()) {
      case RENEWED ->
          lease.renewed(answer, ProtoTimes.toJava(result.getRenewed().getLeaseRemaining()));
      case CLAIM_LOST -> lease.revoke(result.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }
}
