package dev.hapax.client.worker;

import dev.hapax.client.FailureKind;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.hook.HookOwner;

/**
 * Another run owns the token that this workflow waits on. If it is not caught, the run ends as
 * FAILED.
 */
public final class HookConflictException extends WorkFailure {

  private final transient HookOwner owner;

  HookConflictException(HookOwner owner) {
    super(FailureKind.FINAL, "HOOK_CONFLICT", "the token belongs to run " + owner.runId(), null);
    this.owner = owner;
  }

  /** The run that owns the token. */
  public HookOwner owner() {
    return owner;
  }
}
