package dev.hapax.console.view;

import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StepStatus;
import java.util.Locale;

/**
 * A status, shown by a word, a sign and a colour.
 *
 * @param tone the colour, as the style sheet names it: pending, active, waiting, held, done, failed
 *     or off
 */
public record StatusTag(String word, String tone, String sign) {
  public static StatusTag of(RunStatus status) {
    return new StatusTag(
        status.name().replace("RUN_STATUS_", ""), tone(status), sign(tone(status)));
  }

  public static StatusTag of(StepStatus status) {
    var tone =
        switch (status) {
          case STEP_STATUS_RUNNING -> "active";
          case STEP_STATUS_WAITING -> "waiting";
          case STEP_STATUS_COMPLETED -> "done";
          case STEP_STATUS_FAILED -> "failed";
          case STEP_STATUS_PENDING,
              STEP_STATUS_SKIPPED,
              STEP_STATUS_CANCELLED,
              STEP_STATUS_UNSPECIFIED,
              UNRECOGNIZED ->
              "off";
        };
    return new StatusTag(status.name().replace("STEP_STATUS_", ""), tone, sign(tone));
  }

  /** A tag of another kind of object. */
  public static StatusTag of(String word, String tone) {
    return new StatusTag(word.toUpperCase(Locale.ROOT), tone, sign(tone));
  }

  private static String tone(RunStatus status) {
    return switch (status) {
      case RUN_STATUS_RUNNING -> "active";
      case RUN_STATUS_PENDING -> "pending";
      case RUN_STATUS_WAITING -> "waiting";
      case RUN_STATUS_PAUSED -> "held";
      case RUN_STATUS_COMPLETED -> "done";
      case RUN_STATUS_FAILED -> "failed";
      case RUN_STATUS_CANCELLED, RUN_STATUS_UNSPECIFIED, UNRECOGNIZED -> "off";
    };
  }

  private static String sign(String tone) {
    return switch (tone) {
      case "pending" -> "○";
      case "active" -> "▶";
      case "waiting" -> "◔";
      case "held" -> "■";
      case "done" -> "✓";
      case "failed" -> "✕";
      default -> "–";
    };
  }
}
