package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.Failure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEvent.Details;
import dev.hapax.v1.RunEventType;

/** Events for people: when, which version, and what happened. */
final class EventText {
  private static final String PREFIX = "RUN_EVENT_TYPE_";
  private static final String SERVER = "server";

  private EventText() {}

  static String line(RunEvent event) {
    return "%s  %4d  %s"
        .formatted(
            Shown.time(event.getAt()),
            event.getVersion(),
            Shown.line(
                (event.getStepName().isEmpty() ? "run" : event.getStepName())
                    + " "
                    + what(event)
                    + by(event.getActor())));
  }

  private static String by(String actor) {
    return actor.isEmpty() || actor.equals(SERVER) ? "" : ", by " + actor;
  }

  private static String what(RunEvent event) {
    var details = event.getDetails();
    return switch (event.getType()) {
      case RUN_EVENT_TYPE_CREATED -> created(details);
      case RUN_EVENT_TYPE_STEP_STARTED ->
          event.getAttempt() > 1 ? "started, attempt " + event.getAttempt() : "started";
      case RUN_EVENT_TYPE_STEP_COMPLETED -> "completed" + with(details.getOutput());
      case RUN_EVENT_TYPE_STEP_SKIPPED -> "skipped" + with(details.getOutput());
      case RUN_EVENT_TYPE_STEP_FAILED -> "failed" + with(details.getFailure());
      case RUN_EVENT_TYPE_STEP_SUSPENDED -> suspended(details);
      case RUN_EVENT_TYPE_STEP_RESUMED ->
          details.getSignalId().isEmpty() ? "goes on" : "goes on, by a signal";
      case RUN_EVENT_TYPE_RETRY_SCHEDULED ->
          "attempt %d failed%s, again at %s"
              .formatted(
                  event.getAttempt(),
                  with(details.getFailure()),
                  Shown.instant(details.getRetryAt()));
      case RUN_EVENT_TYPE_LEASE_LOST ->
          "attempt " + event.getAttempt() + " lost: its worker let the lease end";
      case RUN_EVENT_TYPE_LEASE_GIVEN_BACK -> givenBack(event);
      case RUN_EVENT_TYPE_STEP_RECORDED ->
          "recorded " + details.getRecordedName() + with(details.getOutput());
      case RUN_EVENT_TYPE_SIGNAL_RECEIVED -> signal(details);
      case RUN_EVENT_TYPE_HOOK_CREATED ->
          "took a token" + (details.getHookName().isEmpty() ? "" : " as " + details.getHookName());
      case RUN_EVENT_TYPE_HOOK_DISPOSED -> "gave a token up";
      case RUN_EVENT_TYPE_PAUSED -> "paused" + because(details);
      case RUN_EVENT_TYPE_RESUMED -> "resumed" + because(details);
      case RUN_EVENT_TYPE_RETRIED -> "retried" + because(details);
      case RUN_EVENT_TYPE_COMPLETED -> "COMPLETED" + with(details.getOutput());
      case RUN_EVENT_TYPE_FAILED -> "FAILED" + with(details.getFailure());
      case RUN_EVENT_TYPE_CANCELLED ->
          details.getSupersededBy().isEmpty()
              ? "CANCELLED" + because(details)
              : "CANCELLED, superseded by " + details.getSupersededBy();
      case RUN_EVENT_TYPE_SUPERSEDED -> "superseded by " + details.getSupersededBy();
      case RUN_EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> text(event.getType());
    };
  }

  private static String givenBack(RunEvent event) {
    var details = event.getDetails();
    return (event.getActor().equals(SERVER) ? "given back: did not reach its worker" : "released")
        + (details.hasRetryAt() ? ", again at " + Shown.instant(details.getRetryAt()) : "");
  }

  private static String text(RunEventType type) {
    return type.name().replace(PREFIX, "");
  }

  private static String created(Details details) {
    return "created of %s %s%s"
        .formatted(
            details.getDefinition(), details.getDefinitionVersion(), with(details.getInput()));
  }

  private static String suspended(Details details) {
    return "waits"
        + (details.hasSignalFilter()
            ? " for " + SignalFilterText.of(details.getSignalFilter())
            : "")
        + (details.hasUntil() ? " until " + Shown.instant(details.getUntil()) : "");
  }

  private static String signal(Details details) {
    var signal = details.getSignal();
    return "got signal "
        + (signal.getType().isEmpty() ? signal.getSignalId() : signal.getType())
        + with(signal.getPayload());
  }

  private static String with(Payload payload) {
    return payload.getContentCase() == Payload.ContentCase.CONTENT_NOT_SET
        ? ""
        : " " + Shown.payload(payload);
  }

  private static String with(Failure failure) {
    return failure.getCode().isEmpty() ? "" : ": " + Shown.failure(failure);
  }

  private static String because(Details details) {
    return details.getReason().isEmpty() ? "" : ": " + details.getReason();
  }
}
