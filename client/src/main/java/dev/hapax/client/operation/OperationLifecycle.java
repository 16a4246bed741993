package dev.hapax.client.operation;

import dev.hapax.client.Observer;
import dev.hapax.client.Observer.HolderKind;
import dev.hapax.client.PayloadCodec;
import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.ClaimRenewals;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.OperationRpcs;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.RenewOperationRequest;
import dev.hapax.v1.RenewOperationResponse;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifecycle of every operation, blocking or not, by hand or intercepted: begin, work, record.
 */
final class OperationLifecycle {

  private static final Logger log = LoggerFactory.getLogger(OperationLifecycle.class);

  private final RetryingCalls transport;
  private final Timing timing;
  private final Observer observer;
  private final String workspace;
  private final OperationCompletion completion;
  private final AtomicLong failedOpen = new AtomicLong();

  OperationLifecycle(
      RetryingCalls transport,
      Timing timing,
      Observer observer,
      String workspace,
      OperationCompletion completion) {
    this.transport = transport;
    this.timing = timing;
    this.observer = observer;
    this.workspace = workspace;
    this.completion = completion;
  }

  <T extends @Nullable Object> CompletableFuture<BeginResult<T>> begin(
      OperationRequest request, OperationPolicy policy, PayloadCodec<T> codec) {
    if (request.requestId().isEmpty()) {
      return CompletableFuture.completedFuture(
          new BeginResult.Granted<>(RunningOperation.untracked()));
    }
    return new BeginOperationCall<>(this, request, policy, codec).start();
  }

  <T extends @Nullable Object> CompletableFuture<Outcome<T>> run(
      OperationRequest request, OperationPolicy policy, PayloadCodec<T> codec, AsyncWork<T> work) {
    return transport.detached(
        transport
            .detached(begin(request, policy, codec))
            .thenCompose(
                begun -> {
                  if (begun instanceof BeginResult.Granted<T> granted) {
                    return work(granted.operation(), codec, work);
                  }
                  return CompletableFuture.completedFuture(
                      ((BeginResult.Decided<T>) begun).outcome());
                }));
  }

  private <T extends @Nullable Object> CompletableFuture<Outcome<T>> work(
      RunningOperation operation, PayloadCodec<T> codec, AsyncWork<T> work) {
    CompletionStage<T> result;
    try {
      result = work.start(operation);
    } catch (Throwable thrown) {
      result = CompletableFuture.failedFuture(thrown);
    }
    return result
        .handle(
            (value, failure) ->
                failure == null
                    ? completion.recordResult(operation, codec, value)
                    : failed(operation, codec, UnaryCalls.unwrap(failure)))
        .thenCompose(recorded -> recorded)
        .toCompletableFuture();
  }

  private <T extends @Nullable Object> CompletableFuture<Outcome<T>> failed(
      RunningOperation operation, PayloadCodec<T> codec, Throwable failure) {
    return completion
        .recordFailure(operation, codec, failure)
        .thenCompose(
            otherOutcome ->
                otherOutcome
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> CompletableFuture.failedFuture(failure)));
  }

  /** Creates the running operation of a grant, with renewals from its response on. */
  RunningOperation running(
      RetryingCalls.Answer<?> answer,
      BeginOperationResponse.Acquired grant,
      OperationPolicy policy) {
    RenewOperationRequest renewal =
        RenewOperationRequest.newBuilder()
            .setWorkspace(workspace)
            .setClaim(grant.getClaim())
            .setLease(ProtoTimes.toProto(policy.lease()))
            .build();
    ClaimLease lease =
        new ClaimLease(
            timing,
            grant.getClaim(),
            answer,
            ProtoTimes.toJava(grant.getLeaseRemaining()),
            policy.holdAtMost(),
            () -> observer.lost(HolderKind.OPERATION));
    Heartbeats heartbeats =
        new Heartbeats(
            timing,
            new ClaimRenewals<>(
                transport, OperationRpcs.RENEW_OPERATION, renewal, OperationLifecycle::renewed));
    return new RunningOperation(grant, policy.accountChanging(), lease, heartbeats, workspace);
  }

  private static void renewed(
      ClaimLease lease, RetryingCalls.Answer<RenewOperationResponse> answer) {
    RenewOperationResponse response = answer.response();
    switch (response.getOutcomeCase()) {
      case RENEWED ->
          lease.renewed(answer, ProtoTimes.toJava(response.getRenewed().getLeaseRemaining()));
      case CLAIM_LOST -> lease.revoke(response.getClaimLost().getReason());
      case OUTCOME_NOT_SET -> lease.notRenewed();
    }
  }

  void failedOpen(String operation, StatusRuntimeException error) {
    long count = failedOpen.incrementAndGet();
    log.warn(
        "Hapax is unreachable, {} runs untracked ({} so far): {}",
        operation,
        count,
        error.getStatus());
  }

  long failedOpen() {
    return failedOpen.get();
  }

  RetryingCalls transport() {
    return transport;
  }

  Timing timing() {
    return timing;
  }

  String workspace() {
    return workspace;
  }

  OperationCompletion completion() {
    return completion;
  }
}
