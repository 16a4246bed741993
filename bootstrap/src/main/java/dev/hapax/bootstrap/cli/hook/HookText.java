package dev.hapax.bootstrap.cli.hook;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Hook;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A token's hook for people, as of a moment; the token itself is nobody's to read. */
record HookText(Instant now) {
  List<String> details(Hook hook) {
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
