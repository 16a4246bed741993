package dev.hapax.client;

import dev.hapax.v1.RunStatus;

/**
 * The run that owns the token of a hook.
 *
 * @param runId its id
 * @param status UNSPECIFIED if Hapax is newer than this client
 * @param hasEnded whether it has ended, and keeps the token for its retention
 */
public record Owner(String runId, RunStatus status, boolean hasEnded) {

  static Owner of(String runId, RunStatus status, boolean hasEnded) {
    boolean isKnown = status != RunStatus.UNRECOGNIZED;
    return new Owner(runId, isKnown ? status : RunStatus.RUN_STATUS_UNSPECIFIED, hasEnded);
  }
}
