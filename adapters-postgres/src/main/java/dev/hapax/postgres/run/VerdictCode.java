package dev.hapax.postgres.run;

import dev.hapax.domain.Failure;
import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.run.RunChange.Verdict;
import java.util.Optional;

/** The verdict of a settlement as a number. */
final class VerdictCode {
  private static final short COMPLETE = 1;
  private static final short SKIP = 2;
  private static final short FAIL = 3;
  private static final short REPEAT = 4;

  private VerdictCode() {}

  static short of(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Complete _ -> COMPLETE;
      case Verdict.Skip _ -> SKIP;
      case Verdict.Fail _ -> FAIL;
      case Verdict.Repeat _ -> REPEAT;
    };
  }

  static Verdict read(
      int code, Optional<Payload> output, Optional<Json.Obj> patch, Optional<Failure> failure) {
    return switch (code) {
      case COMPLETE -> new Verdict.Complete(output, patch);
      case SKIP -> new Verdict.Skip();
      case FAIL -> new Verdict.Fail(failure.orElseThrow());
      case REPEAT -> new Verdict.Repeat();
      default -> throw new IllegalStateException("no verdict has the code " + code);
    };
  }
}
