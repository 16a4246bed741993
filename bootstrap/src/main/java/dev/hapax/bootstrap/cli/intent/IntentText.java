package dev.hapax.bootstrap.cli.intent;

import dev.hapax.bootstrap.cli.call.Columns;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentVerb;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Intents as text. */
final class IntentText {
  static final Columns<Intent> COLUMNS =
      Columns.of("TICKET", 0, Intent::getTicket)
          .add("VERB", 0, intent -> verb(intent.getVerb()))
          .add("ROLE", 0, Intent::getRole)
          .addAged("AGE", 0, (intent, now) -> ValueFormat.age(intent.getPostedAt(), now))
          .add("TRIES", 0, intent -> Integer.toString(intent.getTries()))
          .add("OUTCOME", 0, IntentText::outcome);

  private IntentText() {}

  static List<String> details(Intent intent, Instant now) {
    var details = new DetailLines();
    details.add("ticket", intent.getTicket());
    details.add("verb", verb(intent.getVerb()));
    details.add("role", intent.getRole());
    details.add("posted", ValueFormat.moment(intent.getPostedAt(), now));
    if (intent.hasTakenAt()) {
      details.add("taken", ValueFormat.moment(intent.getTakenAt(), now));
    }
    details.add("outcome", outcome(intent));
    details.add("run", run(intent));
    details.add("owner", intent.getStarted().getOwnerRunId());
    details.add("error", intent.getError().getMessage());
    return details.lines();
  }

  private static String verb(IntentVerb verb) {
    return EnumOption.text(verb).toLowerCase(Locale.ROOT);
  }

  private static String outcome(Intent intent) {
    return switch (intent.getOutcomeCase()) {
      case STARTED -> EnumOption.text(intent.getStarted().getDisposition());
      case SIGNALED -> EnumOption.text(intent.getSignaled().getDisposition());
      case CANCELLED -> "CANCELLED";
      case COMPLETED -> "COMPLETED";
      case ERROR -> EnumOption.text(intent.getError().getReason());
      case OUTCOME_NOT_SET -> intent.hasNotBefore() ? "deferred" : "posted";
    };
  }

  private static String run(Intent intent) {
    return switch (intent.getOutcomeCase()) {
      case STARTED -> intent.getStarted().getRunId();
      case SIGNALED -> intent.getSignaled().getRunId();
      case CANCELLED -> intent.getCancelled().getRunId();
      case COMPLETED -> intent.getCompleted().getRunId();
      case ERROR, OUTCOME_NOT_SET -> "";
    };
  }
}
