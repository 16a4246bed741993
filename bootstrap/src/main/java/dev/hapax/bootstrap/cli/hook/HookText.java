package dev.hapax.bootstrap.cli.hook;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.DetailLines;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.Hook;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A hook as text; the token itself is not printed. */
final class HookText {
  private HookText() {}

  static List<String> details(GetHookResponse response, Instant now) {
    var details = new DetailLines();
    for (var waiting : response.getWaitingList()) {
      details.add(
          "waiting", waiting.getRunId() + " since " + ValueFormat.moment(waiting.getSince(), now));
    }
    var others = response.getHook().getWaiting() - response.getWaitingCount();
    details.add("waiting", others > 0 ? String.format(Locale.ROOT, "%d more runs", others) : "");
    return Stream.concat(
            response.hasHook() ? details(response.getHook(), now).stream() : Stream.empty(),
            details.lines().stream())
        .toList();
  }

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
