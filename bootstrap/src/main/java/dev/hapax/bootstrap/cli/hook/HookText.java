package dev.hapax.bootstrap.cli.hook;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Hook;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A hook as text; the token itself is not printed. */
final class HookText {
  private HookText() {}

  static List<String> details(Hook hook, Instant now) {
    var retention = Duration.ofMillis(Durations.toMillis(hook.getRetention()));
    var details = new DetailLines();
    details.add("run", hook.getRunId());
    details.add("status", ValueFormat.status(hook.getStatus()));
    details.add("owned since", ValueFormat.moment(hook.getCreatedAt(), now));
    if (hook.hasEndedAt()) {
      details.add("until", ValueFormat.moment(hook.getEndedAt(), now));
    }
    details.add("retention", retention.isZero() ? "" : ValueFormat.duration(retention));
    details.add("name", hook.getName());
    details.add("fingerprint", hook.getFingerprint());
    return details.lines();
  }
}
