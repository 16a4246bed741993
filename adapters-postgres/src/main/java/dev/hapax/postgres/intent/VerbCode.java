package dev.hapax.postgres.intent;

import dev.hapax.domain.intent.IntentVerb;
import java.util.List;

/** The stored codes of verbs. */
final class VerbCode {
  private static final List<IntentVerb> VERBS =
      List.of(
          IntentVerb.START_RUN,
          IntentVerb.SIGNAL_RUN,
          IntentVerb.SIGNAL_HOOK,
          IntentVerb.CANCEL_RUN,
          IntentVerb.COMPLETE_ACTION,
          IntentVerb.COMPLETE_TASK,
          IntentVerb.COMPLETE_OPERATION);

  /** The highest code. */
  static final int LAST = VERBS.size();

  private VerbCode() {}

  static short of(IntentVerb verb) {
    return (short) (VERBS.indexOf(verb) + 1);
  }

  static IntentVerb verb(int code) {
    return VERBS.get(code - 1);
  }
}
