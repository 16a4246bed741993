package dev.hapax.client.run;

import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A wait for a run, split into long polls that no proxy cuts. */
final class RunAwaiting {

  private static final Duration SLICE = Duration.ofSeconds(20);
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final UnaryCalls calls;
  private final Timing timing;
  private final AwaitRunRequest request;
  private final long until;
  private final CompletableFuture<Run> awaited = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<AwaitRunResponse> slice;

  RunAwaiting(UnaryCalls calls, Timing timing, AwaitRunRequest request, Duration atMost) {
    this.calls = calls;
    this.timing = timing;
    this.request = request;
    this.until =
        timing.nanos() + min(atMost.isNegative() ? Duration.ZERO : atMost, LONGEST).toNanos();
  }

  static boolean hasEnded(Run run) {
    return run.getStatus() == RunStatus.RUN_STATUS_COMPLETED
        || run.getStatus() == RunStatus.RUN_STATUS_FAILED
        || run.getStatus() == RunStatus.RUN_STATUS_CANCELLED;
  }

  CompletableFuture<Run> start() {
    var unused = awaited.whenComplete((run, error) -> stopIfCancelled());
    send(request);
    return awaited;
  }

  private void send(AwaitRunRequest next) {
    Duration remaining = remaining();
    Duration wait = min(remaining, SLICE);
    AwaitRunRequest sliced = next.toBuilder().setWait(ProtoTimes.toProto(wait)).build();
    // retry an unreachable server for the whole wait
    Duration timeLimit = remaining.compareTo(calls.timeout()) > 0 ? remaining : calls.timeout();
    var sent = calls.send(RunServiceGrpc.getAwaitRunMethod(), sliced, wait, timeLimit);
    slice = sent;
    stopIfCancelled();
    var unused =
        sent.whenComplete(
            (response, error) -> {
              if (response != null) {
                received(response.getRun());
              } else {
                awaited.completeExceptionally(UnaryCalls.toException(error));
              }
            });
  }

  private void received(Run run) {
    boolean moved = request.getAfterVersion() > 0 && run.getVersion() > request.getAfterVersion();
    if (moved || hasEnded(run) || remaining().isZero()) {
      awaited.complete(run);
    } else {
      // by run id from now on: the key may lead to another run later
      send(request.toBuilder().setRunId(run.getId()).build());
    }
  }

  private void stopIfCancelled() {
    var sent = slice;
    if (awaited.isCancelled() && sent != null) {
      sent.cancel(false);
    }
  }

  private Duration remaining() {
    return Duration.ofNanos(Math.max(0, until - timing.nanos()));
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
