package dev.hapax.client.worker;

import dev.hapax.client.FailureKind;
import dev.hapax.client.WorkFailure;
import dev.hapax.client.hook.HookOwner;

/** Another run owns the token that this one waits at. Left alone, it ends the run as FAILED. */
public final class HookConflictException extends WorkFailure {

  private final transient HookOwner owner;

  HookConflictException(HookOwner owner) {
    super(FailureKind.FINAL, "HOOK_CONFLICT", "the token belongs to " + owner.runId(), null);
    this.owner = owner;
  }

  /** Who has it. */
  public HookOwner owner() {
    return owner;
  }
}
