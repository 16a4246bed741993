package dev.hapax.domain.intent;

/** The kind of request of an intent, named as the SQL function that posts it. */
public enum IntentVerb {
  START_RUN,
  SIGNAL_RUN,
  SIGNAL_HOOK,
  CANCEL_RUN,
  COMPLETE_ACTION,
  COMPLETE_TASK,
  COMPLETE_OPERATION
}
