package dev.hapax.grpc.intent;

import com.google.rpc.Code;
import dev.hapax.domain.intent.IntentOutcome.Failed;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.definition.DefinitionGrpc;
import dev.hapax.grpc.run.RunErrors;
import dev.hapax.grpc.run.StartFingerprint;
import dev.hapax.v1.ErrorReason;
import java.util.Map;

/** The errors of IntentService, and those that intents end with. */
public final class IntentErrors {
  private IntentErrors() {}

  static RuntimeException notFound() {
    return GrpcErrors.error(
        Code.NOT_FOUND,
        ErrorReason.ERROR_REASON_INTENT_NOT_FOUND,
        "no such intent in this workspace: it is not committed, was rolled back, or was taken more"
            + " than 7 days ago",
        Map.of());
  }

  /** The error of the rpc that the intent stands for. */
  public static RuntimeException of(Failed failed) {
    return switch (failed.error()) {
      case DEFINITION_NOT_FOUND -> DefinitionGrpc.notFound(failed.detail(), "");
      case IDEMPOTENCY_KEY_REUSED ->
          RunErrors.keyReused(failed.run().orElseThrow(), StartFingerprint.FIELDS);
      case RUN_NOT_FOUND -> RunErrors.notFound();
      case HOOK_NOT_FOUND -> RunErrors.hookNotFound();
      case RUN_ENDED -> RunErrors.ended(failed.run().orElseThrow(), status(failed));
      case INBOX_FULL -> RunErrors.inboxFull();
      case EVENT_LIMIT -> RunErrors.eventLimit();
      case ILLEGAL_TRANSITION ->
          RunErrors.notAllowed(failed.run().orElseThrow(), status(failed), "cancelled");
      case INVALID_ARGUMENT -> new InvalidFieldException("intent", failed.detail());
      case INTERNAL ->
          GrpcErrors.error(
              Code.INTERNAL,
              ErrorReason.ERROR_REASON_INTERNAL,
              "internal error; see the log of the server",
              Map.of());
    };
  }

  private static RunStatus status(Failed failed) {
    return RunStatus.valueOf(failed.detail());
  }
}
