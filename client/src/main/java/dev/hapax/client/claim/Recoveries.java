package dev.hapax.client.claim;

import dev.hapax.client.internal.Poller;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.RetryingCalls;
import dev.hapax.client.internal.rpc.JanitorRpcs;
import dev.hapax.v1.CompleteRecoveryRequest;
import dev.hapax.v1.CompleteRecoveryResponse;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollRecoveriesResponse;
import dev.hapax.v1.Recovery;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recoveries in progress of a remote janitor, and its free capacity. */
final class Recoveries implements Poller.Polled<PollRecoveriesRequest, PollRecoveriesResponse> {

  private static final Logger log = LoggerFactory.getLogger(Recoveries.class);

  private final RemoteJanitorBuilder settings;
  private final RetryingCalls transport;
  private final RecoveryCheck check;
  private final Executor executor;
  private final CompletableFuture<@Nullable Void> empty = new CompletableFuture<>();
  private Runnable freeListener = () -> {};
  private int inFlight;
  private boolean closing;
  private boolean abandoned;

  Recoveries(RemoteJanitorBuilder settings, RetryingCalls transport, RecoveryCheck check) {
    this.settings = settings;
    this.transport = transport;
    this.check = check;
    this.executor = settings.executorOrDefault();
  }

  /** Sets the listener for free capacity. */
  void onFree(Runnable listener) {
    freeListener = listener;
  }

  @Override
  public MethodDescriptor<PollRecoveriesRequest, PollRecoveriesResponse> method() {
    return JanitorRpcs.POLL_RECOVERIES;
  }

  @Override
  public synchronized int free() {
    return settings.concurrency() - inFlight;
  }

  @Override
  public Duration pollWait() {
    return settings.pollWait();
  }

  @Override
  public PollRecoveriesRequest request(String attemptId, int atMost, Duration wait) {
    return PollRecoveriesRequest.newBuilder()
        .setWorkspace(settings.workspace())
        .setModule(settings.module())
        .setWorkerId(settings.workerId())
        .setAttemptId(attemptId)
        .setMaxRecoveries(atMost)
        .setLease(ProtoTimes.toProto(settings.lease()))
        .setWait(ProtoTimes.toProto(wait))
        .build();
  }

  @Override
  public int take(RetryingCalls.Answer<PollRecoveriesResponse> answer) {
    answer.response().getRecoveriesList().forEach(this::begin);
    return answer.response().getRecoveriesCount();
  }

  private void begin(Recovery recovery) {
    synchronized (this) {
      inFlight++;
    }
    try {
      executor.execute(() -> check(recovery));
    } catch (RejectedExecutionException refused) {
      log.error(
          "{}: the executor rejected it; it will be handed out again when its lease expires",
          name(recovery),
          refused);
      ended();
    }
  }

  private void check(Recovery recovery) {
    RecoveryVerdict verdict;
    try {
      verdict = Objects.requireNonNull(check.check(recovery), "the recovery check returned null");
    } catch (Throwable thrown) {
      log.error(
          "{}: recovery check failed; it will be handed out again when its lease expires",
          name(recovery),
          thrown);
      ended();
      return;
    }
    if (isAbandoned()) {
      ended();
    } else {
      record(recovery, verdict);
    }
  }

  private void record(Recovery recovery, RecoveryVerdict verdict) {
    CompleteRecoveryRequest request =
        CompleteRecoveryRequest.newBuilder()
            .setWorkspace(settings.workspace())
            .setClaim(recovery.getClaim())
            .setOutcome(verdict.toProto())
            .setActor(settings.workerId())
            .build();
    var unused =
        transport
            .sendUntilRecorded(JanitorRpcs.COMPLETE_RECOVERY, request, settings.recordTimeout())
            .whenComplete(
                (answer, error) -> {
                  if (answer == null) {
                    log.error(
                        "the end of {} may not be recorded: no response from Hapax",
                        name(recovery),
                        error);
                  } else {
                    logOutcome(recovery, verdict, answer.response());
                  }
                  ended();
                });
  }

  private static void logOutcome(
      Recovery recovery, RecoveryVerdict verdict, CompleteRecoveryResponse response) {
    if (response.hasClaimLost()) {
      log.warn("{} was lost: {}", name(recovery), response.getClaimLost().getReason());
    } else {
      log.info("{} ended: {}", name(recovery), verdict);
    }
  }

  /** Accepts no more recoveries; done when those in progress have ended. */
  CompletableFuture<@Nullable Void> close() {
    synchronized (this) {
      closing = true;
    }
    completeIfEmpty();
    return empty;
  }

  /** Records no more verdicts. */
  synchronized void abandon() {
    abandoned = true;
  }

  private synchronized boolean isAbandoned() {
    return abandoned;
  }

  private void ended() {
    synchronized (this) {
      inFlight--;
    }
    completeIfEmpty();
    freeListener.run();
  }

  private void completeIfEmpty() {
    boolean done;
    synchronized (this) {
      done = closing && inFlight == 0;
    }
    if (done) {
      empty.complete(null);
    }
  }

  private static String name(Recovery recovery) {
    return "recovery of "
        + recovery.getEntity().getLifecycle()
        + " "
        + recovery.getEntity().getId();
  }
}
