package dev.hapax.bootstrap.entity;

import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEvent.Details;
import dev.hapax.v1.RecoveryOutcome;
import java.util.Locale;

/** Events for people: when, which version, where the entity is then, and what happened. */
final class EventText {
  private static final String TYPE = "ENTITY_EVENT_TYPE_";
  private static final String KIND = "ACTION_FAILURE_KIND_";
  private static final String SERVER = "server";

  private EventText() {}

  static String line(EntityEvent event) {
    return "%s  %4d  %s"
        .formatted(
            Shown.time(event.getAt()),
            event.getVersion(),
            Shown.line(event.getStatus() + ": " + what(event) + by(event.getActor())));
  }

  private static String by(String actor) {
    return actor.isEmpty() || actor.equals(SERVER) ? "" : ", by " + actor;
  }

  private static String what(EntityEvent event) {
    var details = event.getDetails();
    return switch (event.getType()) {
      case ENTITY_EVENT_TYPE_CREATED -> "created";
      case ENTITY_EVENT_TYPE_ACTION_BEGAN -> step(details) + " began" + action(details);
      case ENTITY_EVENT_TYPE_ACTION_COMPLETED -> step(details) + " completed";
      case ENTITY_EVENT_TYPE_ACTION_FAILED -> "went back, " + kind(details);
      case ENTITY_EVENT_TYPE_CLAIM_REVERTED -> "went back: its holder let the lease end";
      case ENTITY_EVENT_TYPE_RECOVERY_BEGAN -> "its holder is gone, the module looks what was done";
      case ENTITY_EVENT_TYPE_RECOVERED -> recovered(details.getOutcome());
      case ENTITY_EVENT_TYPE_CLAIM_RELEASED -> released(details);
      case ENTITY_EVENT_TYPE_DELETED -> "deleted: " + details.getReason();
      case ENTITY_EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> event.getType().name().replace(TYPE, "");
    };
  }

  private static String step(Details details) {
    return details.getStepKey() + " (" + details.getRequester() + ")";
  }

  private static String action(Details details) {
    return details.getAction().isEmpty() ? "" : ": " + details.getAction();
  }

  private static String kind(Details details) {
    var kind = details.getKind().name().replace(KIND, "").toLowerCase(Locale.ROOT);
    return kind + (details.getMessage().isEmpty() ? "" : ": " + details.getMessage());
  }

  private static String released(Details details) {
    var how =
        details.getOutcome() == RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE
            ? "taken back as done: "
            : "taken back: ";
    return how + details.getReason();
  }

  private static String recovered(RecoveryOutcome outcome) {
    return switch (outcome) {
      case RECOVERY_OUTCOME_COMPLETE -> "the module found it done";
      case RECOVERY_OUTCOME_REVERT -> "went back: the module found it not done";
      case RECOVERY_OUTCOME_UNSPECIFIED, UNRECOGNIZED -> "the module looked";
    };
  }
}
