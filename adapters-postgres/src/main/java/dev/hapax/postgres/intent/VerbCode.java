package dev.hapax.postgres.intent;

import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.postgres.read.StoredCodes;
import java.util.List;

/** The stored codes of verbs. */
public final class VerbCode {
  private static final StoredCodes<IntentVerb> CODES =
      new StoredCodes<>(
          IntentVerb.class,
          List.of(
              IntentVerb.START_RUN,
              IntentVerb.SIGNAL_RUN,
              IntentVerb.SIGNAL_HOOK,
              IntentVerb.CANCEL_RUN,
              IntentVerb.COMPLETE_ACTION,
              IntentVerb.COMPLETE_TASK,
              IntentVerb.COMPLETE_OPERATION));

  /** The highest code. */
  static final int LAST = CODES.last();

  private VerbCode() {}

  static short of(IntentVerb verb) {
    return CODES.code(verb);
  }

  public static IntentVerb verb(int code) {
    return CODES.value(code);
  }
}
