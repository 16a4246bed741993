package dev.hapax.bootstrap.cli.intent;

import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.Intent;
import dev.hapax.v1.IntentVerb;
import dev.hapax.v1.SignalDisposition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Intents as text, with ages relative to an instant. */
record IntentText(Instant now) {
  private static final String VERB = "INTENT_VERB_";
  private static final String DISPOSITION = "DISPOSITION_";
  private static final String SIGNAL_DISPOSITION = "SIGNAL_DISPOSITION_";
  private static final String REASON = "ERROR_REASON_";

  List<String> table(List<Intent> intents) {
    var table = new Table("TICKET", "VERB", "ROLE", "AGE", "TRIES", "OUTCOME");
    for (var intent : intents) {
      table.add(
          intent.getTicket(),
          verb(intent.getVerb()),
          intent.getRole(),
          ValueFormat.duration(Duration.between(ValueFormat.instant(intent.getPostedAt()), now)),
          Integer.toString(intent.getTries()),
          outcome(intent));
    }
    return table.lines();
  }

  List<String> details(Intent intent) {
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
    return without(VERB, verb.name()).toLowerCase(Locale.ROOT);
  }

  private static String outcome(Intent intent) {
    return switch (intent.getOutcomeCase()) {
      case STARTED -> disposition(intent.getStarted().getDisposition());
      case SIGNALED -> disposition(intent.getSignaled().getDisposition());
      case CANCELLED -> "CANCELLED";
      case COMPLETED -> "COMPLETED";
      case ERROR -> without(REASON, intent.getError().getReason().name());
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

  private static String disposition(Disposition disposition) {
    return without(DISPOSITION, disposition.name());
  }

  private static String disposition(SignalDisposition disposition) {
    return without(SIGNAL_DISPOSITION, disposition.name());
  }

  private static String without(String prefix, String name) {
    return name.startsWith(prefix) ? name.substring(prefix.length()) : name;
  }
}
