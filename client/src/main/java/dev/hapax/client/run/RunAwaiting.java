package dev.hapax.client.run;

import dev.hapax.client.internal.LongPoll;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.RunRpcs;
import dev.hapax.v1.AwaitRunRequest;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A wait for a run. */
final class RunAwaiting {

  private final UnaryCalls calls;
  private final Timing timing;
  private final Duration atMost;
  private volatile AwaitRunRequest request;

  RunAwaiting(UnaryCalls calls, Timing timing, AwaitRunRequest request, Duration atMost) {
    this.calls = calls;
    this.timing = timing;
    this.request = request;
    this.atMost = atMost;
  }

  static boolean hasEnded(Run run) {
    return run.getStatus() == RunStatus.RUN_STATUS_COMPLETED
        || run.getStatus() == RunStatus.RUN_STATUS_FAILED
        || run.getStatus() == RunStatus.RUN_STATUS_CANCELLED;
  }

  CompletableFuture<Run> start() {
    return new LongPoll<>(calls, timing, atMost, this::send, this::found, this::isOver).start();
  }

  private CompletableFuture<AwaitRunResponse> send(Duration wait, Duration timeLimit) {
    AwaitRunRequest sliced = request.toBuilder().setWait(ProtoTimes.toProto(wait)).build();
    return calls.send(RunRpcs.AWAIT_RUN, sliced, wait, timeLimit);
  }

  private Run found(AwaitRunResponse response) {
    // by run id from now on: the key may lead to another run later
    request = request.toBuilder().setRunId(response.getRun().getId()).build();
    return response.getRun();
  }

  private boolean isOver(Run run) {
    boolean moved = request.getAfterVersion() > 0 && run.getVersion() > request.getAfterVersion();
    return moved || hasEnded(run);
  }
}
