package dev.hapax.console.run;

import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.Fields;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.RetryRunRequest;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalRunRequest;
import java.util.Locale;
import java.util.Set;

/** The verbs of an operator on a run. */
public enum RunVerb {
  RETRY(
      "Retry",
      "The failed step is attempted again, with as many attempts as its policy has.",
      ConsolePermission.OPERATE,
      RunStatus.RUN_STATUS_FAILED),
  RESUME(
      "Resume",
      "The run continues where it is.",
      ConsolePermission.OPERATE,
      RunStatus.RUN_STATUS_PAUSED),
  SIGNAL(
      "Signal",
      "The signal goes into the inbox of the run, and stays there until a step consumes it.",
      ConsolePermission.CALL,
      RunStatus.RUN_STATUS_PENDING,
      RunStatus.RUN_STATUS_RUNNING,
      RunStatus.RUN_STATUS_WAITING,
      RunStatus.RUN_STATUS_PAUSED),
  PAUSE(
      "Pause",
      "No worker gets more of the run until it is resumed. An attempt under way may end.",
      ConsolePermission.OPERATE,
      RunStatus.RUN_STATUS_RUNNING,
      RunStatus.RUN_STATUS_WAITING),
  CANCEL(
      "Cancel",
      "The run ends as CANCELLED: its worker loses its lease, and its tokens are free. This cannot"
          + " be undone.",
      ConsolePermission.OPERATE,
      RunStatus.RUN_STATUS_PENDING,
      RunStatus.RUN_STATUS_RUNNING,
      RunStatus.RUN_STATUS_WAITING,
      RunStatus.RUN_STATUS_PAUSED);

  private final String title;
  private final String effect;
  private final ConsolePermission permission;
  private final Set<RunStatus> from;

  RunVerb(String title, String effect, ConsolePermission permission, RunStatus... from) {
    this.title = title;
    this.effect = effect;
    this.permission = permission;
    this.from = Set.of(from);
  }

  public String title() {
    return title;
  }

  public String effect() {
    return effect;
  }

  ConsolePermission permission() {
    return permission;
  }

  /** Whether it can be applied to many runs at once. */
  public boolean isBulk() {
    return this != SIGNAL;
  }

  /** The statuses from which it is possible. */
  public Set<RunStatus> from() {
    return from;
  }

  boolean isFor(RunStatus status) {
    return from.contains(status);
  }

  /** The segment of its address. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Calls the API with the fields of a form. */
  public void perform(Api api, String workspace, String run, Fields form) {
    var reason = form.text("reason");
    switch (this) {
      case RETRY -> {
        var _ =
            api.runs()
                .retryRun(
                    RetryRunRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setRunId(run)
                        .setReason(reason)
                        .setActor(Api.ACTOR)
                        .setRequestId(form.text("once"))
                        .build());
      }
      case RESUME -> {
        var _ =
            api.runs()
                .resumeRun(
                    ResumeRunRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setRunId(run)
                        .setReason(reason)
                        .setActor(Api.ACTOR)
                        .build());
      }
      case SIGNAL -> {
        var _ =
            api.runs()
                .signalRun(
                    SignalRunRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setRunId(run)
                        .setActor(Api.ACTOR)
                        .setSignal(signal(form))
                        .build());
      }
      case PAUSE -> {
        var _ =
            api.runs()
                .pauseRun(
                    PauseRunRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setRunId(run)
                        .setReason(reason)
                        .setActor(Api.ACTOR)
                        .build());
      }
      case CANCEL -> {
        var _ =
            api.runs()
                .cancelRun(
                    CancelRunRequest.newBuilder()
                        .setWorkspace(workspace)
                        .setRunId(run)
                        .setReason(reason)
                        .setActor(Api.ACTOR)
                        .build());
      }
    }
  }

  private static NewSignal signal(Fields form) {
    var signal = NewSignal.newBuilder().setSignalId(form.text("once")).setType(form.text("type"));
    form.optional("payload")
        .ifPresent(json -> signal.setPayload(Payload.newBuilder().setJson(json)));
    return signal.build();
  }
}
