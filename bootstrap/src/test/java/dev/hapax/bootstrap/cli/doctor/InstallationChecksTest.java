package dev.hapax.bootstrap.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.monitoring.BacklogReads.Server;
import dev.hapax.domain.monitoring.BacklogReads.Servers;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.domain.monitoring.NodeFacts;
import dev.hapax.domain.monitoring.NodeFacts.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class InstallationChecksTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final UUID ID = new UUID(0, 1);

  private static Server server(String version, boolean isRunning, NodeFacts facts) {
    return new Server(ID, version, NOW, NOW, isRunning, List.of(), Optional.of(facts));
  }

  private static NodeFacts facts(Duration offset, Duration certificateLeft) {
    return new NodeFacts(
        4, Optional.empty(), offset, List.of(new Expiry("server", NOW.plus(certificateLeft))));
  }

  private static List<String> warnings(int intents, Duration age, Server... servers) {
    return InstallationChecks.servers(new Servers(List.of(servers), intents, age), NOW).stream()
        .filter(finding -> finding.level() != Level.OK)
        .map(DatabaseFinding::text)
        .toList();
  }

  private static final NodeFacts CALM = facts(Duration.ofMillis(20), Duration.ofDays(30));

  @Test
  @DisplayName("given servers in order, then there is no warning")
  void calm() {
    assertThat(warnings(3, Duration.ofSeconds(2), server("1.0.0", true, CALM))).isEmpty();
    assertThat(warnings(0, Duration.ZERO)).isEmpty();
  }

  @Test
  @DisplayName(
      "given killed servers, versions, clocks, certificates or intents, then each is named")
  void warnings() {
    assertThat(
            warnings(
                7,
                Duration.ofMinutes(5),
                server("1.0.0", true, facts(Duration.ofSeconds(-6), Duration.ofDays(3))),
                server("1.1.0", true, facts(Duration.ZERO, Duration.ofDays(-2))),
                server("0.9.0", false, CALM)))
        .satisfiesExactly(
            text -> assertThat(text).contains("several versions run: 1.0.0, 1.1.0"),
            text -> assertThat(text).contains("(version 0.9.0) ended without a word"),
            text -> assertThat(text).contains("differs by -6000 ms", "runbooks/clock.md"),
            text -> assertThat(text).contains("in 3 days", "without a restart"),
            text -> assertThat(text).contains("2 days ago"),
            text -> assertThat(text).contains("7 wait, the oldest for 5m", "intents-late.md"));
  }

  @Test
  @DisplayName("given stuck work, then the number of its workspaces and some of them are named")
  void workspaces() {
    var calm = new StuckCounts(new Workspace("calm"), 0, 0, 0, 0, 0);
    var shop = new StuckCounts(new Workspace("shop"), 0, 0, 0, 1, 0);
    assertThat(InstallationChecks.workspaces(List.of(calm)).level()).isEqualTo(Level.OK);
    assertThat(InstallationChecks.workspaces(List.of(calm, shop)))
        .returns(Level.WARN, DatabaseFinding::level)
        .extracting(DatabaseFinding::text)
        .asString()
        .contains("stuck in 1 of 2, such as shop");
  }
}
