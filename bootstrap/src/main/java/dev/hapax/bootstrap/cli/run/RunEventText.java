package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.Signal;
import java.time.Duration;
import java.util.Locale;

/** Events of runs as text: time, version and what happened. */
final class RunEventText {
  private static final String SERVER = "server";

  private RunEventText() {}

  static String line(RunEvent event) {
    return String.format(
        Locale.ROOT,
        "%s  %4d  %s",
        ValueFormat.time(event.getAt()),
        event.getVersion(),
        ValueFormat.line(
            (event.getStepName().isEmpty() ? "run" : event.getStepName())
                + " "
                + what(event)
                + CallerText.by(event.getActor(), event.getPrincipal())));
  }

  private static String what(RunEvent event) {
    return switch (event.getType()) {
      case RUN_EVENT_TYPE_CREATED -> created(event.getCreated());
      case RUN_EVENT_TYPE_STEP_STARTED ->
          event.getAttempt() > 1 ? "started, attempt " + event.getAttempt() : "started";
      case RUN_EVENT_TYPE_STEP_COMPLETED ->
          "completed" + with(event.getStepCompleted().getOutput());
      case RUN_EVENT_TYPE_STEP_SKIPPED -> "skipped" + with(event.getStepSkipped().getOutput());
      case RUN_EVENT_TYPE_STEP_FAILED -> "failed" + with(event.getStepFailed().getFailure());
      case RUN_EVENT_TYPE_STEP_SUSPENDED -> suspended(event.getStepSuspended());
      case RUN_EVENT_TYPE_STEP_RESUMED ->
          event.getStepResumed().getSignalId().isEmpty() ? "resumed" : "resumed by a signal";
      case RUN_EVENT_TYPE_RETRY_SCHEDULED ->
          String.format(
              Locale.ROOT,
              "attempt %d failed%s, retry at %s",
              event.getAttempt(),
              with(event.getRetryScheduled().getFailure()),
              ValueFormat.instant(event.getRetryScheduled().getRetryAt()));
      case RUN_EVENT_TYPE_LEASE_LOST -> leaseLost(event);
      case RUN_EVENT_TYPE_LEASE_GIVEN_BACK -> givenBack(event);
      case RUN_EVENT_TYPE_STEP_RECORDED -> recorded(event.getStepRecorded());
      case RUN_EVENT_TYPE_PART_BEGUN -> PartEventText.begun(event.getPartBegun());
      case RUN_EVENT_TYPE_PART_FAILED -> PartEventText.failed(event.getPartFailed());
      case RUN_EVENT_TYPE_STEP_SETTLED -> PartEventText.settled(event.getStepSettled());
      case RUN_EVENT_TYPE_SIGNAL_RECEIVED -> signal(event.getSignalReceived().getSignal());
      case RUN_EVENT_TYPE_HOOK_CREATED -> tookToken(event.getHookCreated());
      case RUN_EVENT_TYPE_HOOK_DISPOSED ->
          "released a token" + because(event.getHookDisposed().getReason());
      case RUN_EVENT_TYPE_BLOCKED -> blocked(event.getBlocked());
      case RUN_EVENT_TYPE_ADMITTED ->
          "its turn, after "
              + ValueFormat.duration(
                  Duration.ofMillis(Durations.toMillis(event.getAdmitted().getWaited())));
      case RUN_EVENT_TYPE_PAUSED -> "paused" + because(event.getPaused().getReason());
      case RUN_EVENT_TYPE_RESUMED -> "resumed" + because(event.getResumed().getReason());
      case RUN_EVENT_TYPE_RETRIED -> "retried" + because(event.getRetried().getReason());
      case RUN_EVENT_TYPE_COMPLETED -> "COMPLETED" + with(event.getCompleted().getOutput());
      case RUN_EVENT_TYPE_FAILED -> "FAILED" + with(event.getFailed().getFailure());
      case RUN_EVENT_TYPE_CANCELLED -> cancelled(event.getCancelled());
      case RUN_EVENT_TYPE_SUPERSEDED -> superseded(event.getSuperseded());
      case RUN_EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> EnumOption.text(event.getType());
    };
  }

  private static String leaseLost(RunEvent event) {
    var lost = event.getLeaseLost();
    var attempt = Integer.toString(event.getAttempt());
    var isTimeout = lost.getFailure().getCode().equals("ATTEMPT_TIMEOUT");
    return lost.getHeld()
        ? "in doubt: the %s of attempt %s expired".formatted(isTimeout ? "time" : "lease", attempt)
        : "attempt %s lost: its %s expired".formatted(attempt, isTimeout ? "time" : "lease");
  }

  private static String givenBack(RunEvent event) {
    var givenBack = event.getLeaseGivenBack();
    return (event.getActor().equals(SERVER)
            ? "returned to the queue: not delivered to a worker"
            : "released")
        + (givenBack.hasRetryAt()
            ? ", retry at " + ValueFormat.instant(givenBack.getRetryAt())
            : "")
        + with(givenBack.getReason());
  }

  private static String created(RunEvent.Created created) {
    return "created from %s %s%s"
        .formatted(
            created.getDefinition(), created.getDefinitionVersion(), with(created.getInput()));
  }

  private static String tookToken(RunEvent.HookCreated created) {
    return "acquired a token" + (created.getName().isEmpty() ? "" : " as " + created.getName());
  }

  private static String blocked(RunEvent.Blocked blocked) {
    if (!blocked.getLimit().isEmpty()) {
      return "waits at limit "
          + blocked.getLimit()
          + (blocked.getLimitKey().isEmpty() ? "" : " of " + blocked.getLimitKey())
          + (blocked.getRate() ? " for its rate" : "")
          + (blocked.getOfDefinition() ? ", to start" : "");
    }
    return blocked.getFingerprintsCount() == 1
        ? "waits for its token"
        : String.format(Locale.ROOT, "waits for its %d tokens", blocked.getFingerprintsCount());
  }

  private static String suspended(RunEvent.StepSuspended suspended) {
    return "waits"
        + (suspended.hasSignalFilter()
            ? " for " + SignalFilterText.of(suspended.getSignalFilter())
            : "")
        + (suspended.hasUntil() ? " until " + ValueFormat.instant(suspended.getUntil()) : "");
  }

  private static String recorded(RunEvent.StepRecorded recorded) {
    return "recorded "
        + recorded.getName()
        + (recorded.hasElapsed() ? " · " + PartEventText.elapsed(recorded.getElapsed()) : "")
        + with(recorded.getOutput());
  }

  private static String signal(Signal signal) {
    return "received signal "
        + (signal.getType().isEmpty() ? signal.getSignalId() : signal.getType())
        + with(signal.getPayload());
  }

  private static String cancelled(RunEvent.Cancelled cancelled) {
    return cancelled.getSupersededBy().isEmpty()
        ? "CANCELLED" + because(cancelled.getReason())
        : "CANCELLED, superseded by " + cancelled.getSupersededBy();
  }

  private static String superseded(RunEvent.Superseded superseded) {
    return "superseded by "
        + superseded.getSupersededBy()
        + (superseded.getByKey() ? ", which took the idempotency key" : "");
  }

  private static String with(Payload payload) {
    return payload.getContentCase() == Payload.ContentCase.CONTENT_NOT_SET
        ? ""
        : " " + ValueFormat.payload(payload);
  }

  private static String with(Failure failure) {
    return failure.getCode().isEmpty() ? "" : ": " + ValueFormat.failure(failure);
  }

  private static String because(String reason) {
    return reason.isEmpty() ? "" : ": " + reason;
  }
}
