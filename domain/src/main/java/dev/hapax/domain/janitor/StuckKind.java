package dev.hapax.domain.janitor;

/**
 * The built-in kinds of stuck work, and what frees each. Claim states are declared by lifecycles
 * and covered by janitor contracts. None is needed for safety, because the next caller checks the
 * lease itself.
 */
public enum StuckKind {
  OPERATION_IN_PROGRESS(
      "an operation whose holder let its lease end",
      "the next BeginOperation, which takes it over or holds it",
      Freed.BY_NEXT_CALLER),
  OPERATION_INDETERMINATE(
      "an operation that may or may not have happened", "ResolveOperation", Freed.BY_HAND),
  TASK_HELD("a step whose worker let its lease end", "the timer of runs", Freed.BY_THE_SERVER),
  RUN_DUE("a run that waits for a time", "the timer of runs", Freed.BY_THE_SERVER),
  RUN_AWAITING(
      "a run that waits for a signal without a timeout", "SignalRun or SignalHook", Freed.BY_HAND),
  RUN_PAUSED("a run that an operator paused", "ResumeRun or CancelRun", Freed.BY_HAND),
  RUN_FAILED("a run that failed; so does an after-effect", "RetryRun", Freed.BY_HAND),
  STEP_IN_DOUBT(
      "a step or part of a run that may or may not have had its effect",
      "SettleStep",
      Freed.BY_HAND),
  ENTITY_CLAIMED(
      "an entity whose holder let its lease end",
      "the janitor of its module, or, if that is hosted, the next BeginAction",
      Freed.BY_ITS_JANITOR),
  ENTITY_RECOVERING(
      "a recovery whose module let its lease end",
      "the next PollRecoveries of that module",
      Freed.BY_ITS_JANITOR),
  LIFECYCLE_RETIRING(
      "statuses that are closed while a lifecycle is changed",
      "none: it ends by itself",
      Freed.BY_NEXT_CALLER);

  /** The party that frees it. */
  public enum Freed {
    /** The next caller frees it at once. */
    BY_NEXT_CALLER,
    BY_THE_SERVER,
    /** The janitor frees it, as its contract requires. */
    BY_ITS_JANITOR,
    /** An operator frees it; no part of the server may decide. */
    BY_HAND
  }

  private final String what;
  private final String how;
  private final Freed freed;

  StuckKind(String what, String how, Freed freed) {
    this.what = what;
    this.how = how;
    this.freed = freed;
  }

  public String what() {
    return what;
  }

  /** The call or the part of the server that frees it. */
  public String how() {
    return how;
  }

  public Freed freed() {
    return freed;
  }
}
