package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.domain.DurationText;
import dev.hapax.domain.monitoring.BacklogReads.Server;
import dev.hapax.domain.monitoring.BacklogReads.Servers;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.domain.monitoring.NodeFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Checks what the servers of an installation report, and whether work is stuck. */
final class InstallationChecks {
  private static final String SERVERS = "servers";

  /** As the alerts. */
  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(5);

  private static final Duration INTENTS_LATE = Duration.ofSeconds(60);
  private static final Duration CERTIFICATE_ENDS = Duration.ofDays(7);

  private InstallationChecks() {}

  static List<DatabaseFinding> servers(Servers found, Instant now) {
    var findings = new ArrayList<DatabaseFinding>();
    var running = found.servers().stream().filter(Server::isRunning).toList();
    var versions = running.stream().map(Server::version).distinct().sorted().toList();
    if (versions.size() > 1) {
      findings.add(
          DatabaseFinding.warn(
              SERVERS,
              "several versions run: %s; finish the upgrade, or stop the older servers"
                  .formatted(String.join(", ", versions))));
    } else {
      findings.add(
          DatabaseFinding.ok(
              SERVERS,
              running.isEmpty()
                  ? "none runs"
                  : String.format(
                      Locale.ROOT, "%d run, version %s", running.size(), versions.getFirst())));
    }
    found.servers().stream()
        .filter(server -> !server.isRunning())
        .map(
            server ->
                DatabaseFinding.warn(
                    SERVERS,
                    "server %s (version %s) ended without a word, its last heartbeat was at %s: its log says why; see docs/runbooks/restart.md"
                        .formatted(server.id(), server.version(), server.seenAt())))
        .forEach(findings::add);
    running.forEach(
        server -> server.facts().ifPresent(facts -> findings.addAll(of(server, facts, now))));
    findings.add(intents(found));
    return findings;
  }

  private static List<DatabaseFinding> of(Server server, NodeFacts facts, Instant now) {
    var findings = new ArrayList<DatabaseFinding>();
    if (facts.clockOffset().abs().compareTo(CLOCK_TOLERANCE) > 0) {
      findings.add(
          DatabaseFinding.warn(
              "clock",
              String.format(
                  Locale.ROOT,
                  "the clock of the database differs by %d ms from that of server %s: synchronize both; see docs/runbooks/clock.md",
                  facts.clockOffset().toMillis(),
                  server.id())));
    }
    for (var certificate : facts.certificates()) {
      findings.add(
          certificate(
              "%s of server %s".formatted(certificate.use(), server.id()), certificate.at(), now));
    }
    return findings;
  }

  /** Tells how many days a certificate has left. */
  static DatabaseFinding certificate(String name, Instant expires, Instant now) {
    var left = Duration.between(now, expires);
    var text =
        String.format(
            Locale.ROOT,
            left.isNegative() ? "%s expired at %s, %d days ago" : "%s expires at %s, in %d days",
            name,
            expires,
            left.abs().toDays());
    return left.compareTo(CERTIFICATE_ENDS) < 0
        ? DatabaseFinding.warn(
            "certificate",
            text
                + ": replace its file, which is loaded without a restart; see docs/runbooks/certificate-expired.md")
        : DatabaseFinding.ok("certificate", text);
  }

  private static DatabaseFinding intents(Servers found) {
    var waiting =
        String.format(
            Locale.ROOT,
            "%d wait, the oldest for %s",
            found.intents(),
            DurationText.format(found.intentAge()));
    if (found.intents() == 0) {
      return DatabaseFinding.ok("intents", "none waits");
    }
    return found.intentAge().compareTo(INTENTS_LATE) > 0
        ? DatabaseFinding.warn("intents", waiting + "; see docs/runbooks/intents-late.md")
        : DatabaseFinding.ok("intents", waiting);
  }

  static DatabaseFinding workspaces(List<StuckCounts> found) {
    var stuck = found.stream().filter(InstallationChecks::isStuck).toList();
    if (stuck.isEmpty()) {
      return DatabaseFinding.ok(
          "workspaces", String.format(Locale.ROOT, "nothing is stuck in %d", found.size()));
    }
    return DatabaseFinding.warn(
        "workspaces",
        String.format(
            Locale.ROOT,
            "work is stuck in %d of %d, such as %s: `hapax workspace list` counts it, `hapax problem list` says why",
            stuck.size(),
            found.size(),
            stuck.stream()
                .limit(3)
                .map(each -> each.workspace().name())
                .collect(Collectors.joining(", "))));
  }

  private static boolean isStuck(StuckCounts counts) {
    return counts.failedRuns()
            + counts.operationsInDoubt()
            + counts.stepsInDoubt()
            + counts.operationsAbandoned()
            + counts.entitiesAbandoned()
        > 0;
  }
}
