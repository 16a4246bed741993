package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.CallerText;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEvent.ActionBegan;
import dev.hapax.v1.EntityEvent.ActionCompleted;
import dev.hapax.v1.EntityEvent.ActionFailed;
import dev.hapax.v1.EntityEvent.ClaimReleased;
import dev.hapax.v1.RecoveryOutcome;
import java.util.Locale;

/** Events of entities as text: time, version, status and what happened. */
final class EntityEventText {
  private EntityEventText() {}

  static String line(EntityEvent event) {
    return String.format(
        Locale.ROOT,
        "%s  %4d  %s",
        ValueFormat.time(event.getAt()),
        event.getVersion(),
        ValueFormat.line(
            event.getStatus()
                + ": "
                + what(event)
                + CallerText.by(event.getActor(), event.getPrincipal())));
  }

  private static String what(EntityEvent event) {
    return switch (event.getAttributesCase()) {
      case CREATED -> "created" + because(event.getCreated().getReason());
      case ACTION_BEGAN -> began(event.getActionBegan());
      case ACTION_COMPLETED -> completed(event.getActionCompleted());
      case ACTION_FAILED -> failed(event.getActionFailed());
      case CLAIM_REVERTED ->
          "reverted: the lease of its holder expired"
              + because(event.getClaimReverted().getReason());
      case RECOVERY_BEGAN -> "the lease of its holder expired, its module checks what was done";
      case RECOVERED ->
          recovered(event.getRecovered().getOutcome()) + because(event.getRecovered().getReason());
      case CLAIM_RELEASED -> released(event.getClaimReleased());
      case DELETED -> "deleted: " + event.getDeleted().getReason();
      case ATTRIBUTES_NOT_SET -> EnumOption.text(event.getType());
    };
  }

  private static String because(String reason) {
    return reason.isEmpty() ? "" : ": " + reason;
  }

  private static String began(ActionBegan began) {
    return step(began.getStepKey(), began.getRequester())
        + " began"
        + (began.getAction().isEmpty() ? "" : ": " + began.getAction());
  }

  private static String completed(ActionCompleted completed) {
    return step(completed.getStepKey(), completed.getRequester())
        + " completed"
        + (completed.hasOutput() ? ": " + ValueFormat.payload(completed.getOutput()) : "");
  }

  private static String step(String key, String requester) {
    return key + " (" + requester + ")";
  }

  private static String failed(ActionFailed failed) {
    var kind = EnumOption.text(failed.getKind()).toLowerCase(Locale.ROOT);
    return "reverted, " + kind + (failed.getMessage().isEmpty() ? "" : ": " + failed.getMessage());
  }

  private static String released(ClaimReleased released) {
    var how =
        released.getOutcome() == RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE
            ? "released as done: "
            : "released: ";
    return how + released.getReason();
  }

  private static String recovered(RecoveryOutcome outcome) {
    return switch (outcome) {
      case RECOVERY_OUTCOME_COMPLETE -> "recovered: the module found it done";
      case RECOVERY_OUTCOME_REVERT -> "recovered and reverted: the module found it not done";
      case RECOVERY_OUTCOME_UNSPECIFIED, UNRECOGNIZED -> "recovered";
    };
  }
}
