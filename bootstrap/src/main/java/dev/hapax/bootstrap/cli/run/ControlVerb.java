package dev.hapax.bootstrap.cli.run;

import static dev.hapax.bootstrap.cli.run.RunStatusOption.FAILED;
import static dev.hapax.bootstrap.cli.run.RunStatusOption.PAUSED;
import static dev.hapax.bootstrap.cli.run.RunStatusOption.PENDING;
import static dev.hapax.bootstrap.cli.run.RunStatusOption.RUNNING;
import static dev.hapax.bootstrap.cli.run.RunStatusOption.WAITING;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What an operator does to runs by hand. */
enum ControlVerb {
  CANCEL(
      "cancelled",
      EnumSet.of(PENDING, RUNNING, WAITING, PAUSED),
      "Ends runs as CANCELLED. Their workers are told to stop."),
  PAUSE(
      "paused",
      EnumSet.of(RUNNING, WAITING),
      "Holds runs: nothing more of them is handed out. What is under way may end."),
  RESUME("resumed", EnumSet.of(PAUSED), "Lets paused runs go on."),
  RETRY("retried", EnumSet.of(FAILED), "Lets failed runs go on with the step that failed.");

  private final String done;
  private final Set<RunStatusOption> from;
  private final String description;

  ControlVerb(String done, Set<RunStatusOption> from, String description) {
    this.done = done;
    this.from = from;
    this.description = description;
  }

  /**
   * The change as the server gets it.
   *
   * @param expectedVersion 0 = whichever the run has
   * @param requestId makes a retry idempotent, for each run
   */
  record Change(String workspace, String reason, long expectedVersion, String requestId) {}

  /** As it is typed. */
  String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What became of the runs. */
  String done() {
    return done;
  }

  /** The statuses of runs that it can be done to. */
  Set<RunStatusOption> from() {
    return Set.copyOf(from);
  }

  String description() {
    return description;
  }

  /** Does it to one run. */
  Run apply(RunServiceBlockingStub runs, String id, Change change) {
    var actor = ServerOptions.actor();
    return switch (this) {
      case CANCEL ->
          runs.cancelRun(
                  CancelRunRequest.newBuilder()
                      .setWorkspace(change.workspace())
                      .setRunId(id)
                      .setReason(change.reason())
                      .setExpectedVersion(change.expectedVersion())
                      .setActor(actor)
                      .build())
              .getRun();
      case PAUSE ->
          runs.pauseRun(
                  PauseRunRequest.newBuilder()
                      .setWorkspace(change.workspace())
                      .setRunId(id)
                      .setReason(change.reason())
                      .setExpectedVersion(change.expectedVersion())
                      .setActor(actor)
                      .build())
              .getRun();
      case RESUME ->
          runs.resumeRun(
                  ResumeRunRequest.newBuilder()
                      .setWorkspace(change.workspace())
                      .setRunId(id)
                      .setReason(change.reason())
                      .setExpectedVersion(change.expectedVersion())
                      .setActor(actor)
                      .build())
              .getRun();
      case RETRY ->
          runs.retryRun(
                  RetryRunRequest.newBuilder()
                      .setWorkspace(change.workspace())
                      .setRunId(id)
                      .setReason(change.reason())
                      .setExpectedVersion(change.expectedVersion())
                      .setActor(actor)
                      .setRequestId(change.requestId())
                      .build())
              .getRun();
    };
  }
}
