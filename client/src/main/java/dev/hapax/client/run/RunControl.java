package dev.hapax.client.run;

import dev.hapax.client.ControlOptions;
import dev.hapax.client.internal.DrawnIds;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.internal.rpc.RunRpcs;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import java.util.concurrent.CompletableFuture;

/** An operator's control calls for one run. */
final class RunControl {

  private final UnaryCalls calls;
  private final String workspace;
  private final String actor;
  private final String runId;
  private final ControlOptions change;

  RunControl(
      UnaryCalls calls, String workspace, String actor, String runId, ControlOptions change) {
    this.calls = calls;
    this.workspace = workspace;
    this.actor = actor;
    this.runId = runId;
    this.change = change;
  }

  CompletableFuture<ControlledRun> cancel() {
    CancelRunRequest request =
        CancelRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(actor)
            .build();
    return calls
        .send(RunRpcs.CANCEL_RUN, request)
        .thenApply(response -> new ControlledRun(response.getRun(), response.getAlready()));
  }

  CompletableFuture<ControlledRun> pause() {
    PauseRunRequest request =
        PauseRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(actor)
            .build();
    return calls
        .send(RunRpcs.PAUSE_RUN, request)
        .thenApply(response -> new ControlledRun(response.getRun(), response.getAlready()));
  }

  CompletableFuture<ControlledRun> resume() {
    ResumeRunRequest request =
        ResumeRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(actor)
            .build();
    return calls
        .send(RunRpcs.RESUME_RUN, request)
        .thenApply(response -> new ControlledRun(response.getRun(), response.getAlready()));
  }

  CompletableFuture<ControlledRun> retry() {
    RetryRunRequest request =
        RetryRunRequest.newBuilder()
            .setWorkspace(workspace)
            .setRunId(runId)
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(actor)
            .setRequestId(DrawnIds.requestId(change.requestId()))
            .build();
    return calls
        .send(RunRpcs.RETRY_RUN, request)
        .thenApply(response -> new ControlledRun(response.getRun(), response.getAlready()));
  }
}
