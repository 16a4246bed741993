package dev.hapax.client.hook;

import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.RunStatus;

/**
 * The run that owns a token.
 *
 * @param status where it stood when it was asked for
 * @param ended it has ended, and is kept for the token's retention
 */
public record HookOwner(String runId, RunStatus status, boolean ended) {
  static HookOwner of(Conflict conflict) {
    // a status that this client is too old to know cannot be passed on
    RunStatus status =
        conflict.getStatus() == RunStatus.UNRECOGNIZED
            ? RunStatus.RUN_STATUS_UNSPECIFIED
            : conflict.getStatus();
    return new HookOwner(conflict.getRunId(), status, conflict.getEnded());
  }
}
