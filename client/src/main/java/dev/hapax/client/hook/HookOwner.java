package dev.hapax.client.hook;

import dev.hapax.v1.CreateHookResponse.Conflict;
import dev.hapax.v1.RunStatus;

/**
 * The run that owns a token.
 *
 * @param status the status of the run at the time of the request
 * @param ended the run has ended, and keeps the token for its retention
 */
public record HookOwner(String runId, RunStatus status, boolean ended) {
  static HookOwner of(Conflict conflict) {
    // a newer server may send a status that this client does not know
    RunStatus status =
        conflict.getStatus() == RunStatus.UNRECOGNIZED
            ? RunStatus.RUN_STATUS_UNSPECIFIED
            : conflict.getStatus();
    return new HookOwner(conflict.getRunId(), status, conflict.getEnded());
  }
}
