package dev.hapax.domain.janitor;

/**
 * Everything that can get stuck, and who frees it. Claim states are declared by lifecycles and
 * covered by contracts; these are the ones that this server brings along. None of them is needed
 * for safety: the next caller judges a lease by itself.
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

  /** Who does it. */
  public enum Freed {
    /** At once, by the next caller that wants it. */
    BY_NEXT_CALLER,
    BY_THE_SERVER,
    /** As its contract says. */
    BY_ITS_JANITOR,
    /** It waits for a person, on purpose. */
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

  /** By which call, or by which part of the server. */
  public String how() {
    return how;
  }

  public Freed freed() {
    return freed;
  }
}
