package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.RunEvent;
import java.util.Locale;

/** Events of parts as text. */
final class PartEventText {
  private PartEventText() {}

  static String begun(RunEvent.PartBegun begun) {
    return String.format(Locale.ROOT, "began %s, attempt %d", begun.getName(), begun.getAttempt());
  }

  static String failed(RunEvent.PartFailed failed) {
    return String.format(
        Locale.ROOT,
        "attempt %d of %s failed: %s%s",
        failed.getAttempt(),
        failed.getName(),
        ValueFormat.failure(failed.getFailure()),
        failed.hasRetryAt() ? ", retry at " + ValueFormat.instant(failed.getRetryAt()) : "");
  }

  /** Formats the time for which a body ran, to a tenth of a second. */
  static String elapsed(Duration time) {
    var millis = Durations.toMillis(time);
    if (millis < 1_000) {
      return millis + " ms";
    }
    return millis < 120_000
        ? String.format(Locale.ROOT, "%.1f s", millis / 1_000.0)
        : millis / 60_000 + " min";
  }

  static String settled(RunEvent.StepSettled settled) {
    var subject = settled.getPart().isEmpty() ? "settled" : "settled " + settled.getPart();
    return subject + " as " + verdict(settled) + ": " + settled.getReason();
  }

  private static String verdict(RunEvent.StepSettled settled) {
    return switch (settled.getVerdictCase()) {
      case COMPLETE ->
          settled.getComplete().hasOutput()
              ? "completed " + ValueFormat.payload(settled.getComplete().getOutput())
              : "completed";
      case SKIP -> "skipped";
      case FAIL -> "failed with " + ValueFormat.failure(settled.getFail());
      case REPEAT -> "to be repeated";
      case VERDICT_NOT_SET -> "unknown; upgrade the client";
    };
  }
}
