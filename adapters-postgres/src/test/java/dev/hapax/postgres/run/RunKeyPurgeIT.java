package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunKeyId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.postgres.ledger.MaintenanceConnections;
import dev.hapax.postgres.run.PageScan.Place;
import dev.hapax.postgres.schema.SessionRoles;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class RunKeyPurgeIT {
  private static final Definition DEFINITION =
      RunSamples.definition("keyed", new StepDefinition.Task(RunSamples.work("q")));
  private static final RunKeyId KEY = RunKeyId.of(RunSamples.WORKSPACE, "key");

  private RunNodes nodes;
  private MaintenanceConnections connections;

  @BeforeEach
  void start() {
    nodes = new RunNodes(1);
    nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
    connections = new MaintenanceConnections(nodes.database().dataSource(), SessionRoles.LOGIN);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private StartOutcome start(Duration retention) {
    return nodes.run(
        new StartRun(
            RunSamples.newRun(),
            DEFINITION,
            new Payload.Json("1"),
            Map.of(),
            Optional.empty(),
            Optional.of(new StartRun.Key(KEY, Fingerprint.of(new byte[] {1}), retention)),
            Optional.empty(),
            Actor.caller("")));
  }

  private RunId started(Duration retention) {
    return ((StartOutcome.Created) start(retention)).run().id();
  }

  private void removeRuns() {
    nodes.database().execute("DELETE FROM hapax.run");
  }

  private int purges() throws SQLException {
    return new RunKeyPurge(connections, Duration.ofDays(1)).run();
  }

  @Test
  @DisplayName(
      "given an expired key, when purging, then it stays while its run is kept, and is removed"
          + " afterwards")
  void removed() throws SQLException {
    var run = started(Duration.ZERO);
    assertThat(purges()).isZero();
    assertThat(start(Duration.ZERO)).isEqualTo(new StartOutcome.Existing(run));

    removeRuns();
    assertThat(purges()).isEqualTo(1);
    assertThat(nodes.runs().keyed(KEY).join()).isEmpty();
    assertThat(started(Duration.ZERO)).isNotEqualTo(run);
  }

  @Test
  @DisplayName("given a key that has not expired, when purging, then it stays")
  void remembered() throws SQLException {
    var run = started(Duration.ofDays(1));
    removeRuns();
    assertThat(purges()).isZero();
    assertThat(nodes.runs().keyed(KEY).join()).contains(run);
  }

  @Test
  @DisplayName("given an expired key of a removed run, when starting, then another run is created")
  void usedAgain() throws SQLException {
    var old = started(Duration.ZERO);
    removeRuns();
    var run = started(Duration.ZERO);
    assertThat(run).isNotEqualTo(old);
    assertThat(purges()).isZero();
    assertThat(start(Duration.ZERO)).isEqualTo(new StartOutcome.Existing(run));
  }

  @Test
  @DisplayName(
      "given a forgotten key that starts another run meanwhile, when it is removed, then it stays")
  void usedMeanwhile() throws SQLException {
    started(Duration.ZERO);
    removeRuns();
    try (var connection = connections.open()) {
      var forgotten = RunKeyPurge.forgotten(connection, Place.FIRST);
      assertThat(forgotten).extracting(RunKeyPurge.Forgotten::key).containsExactly(KEY);
      var run = started(Duration.ZERO);
      assertThat(RunKeyPurge.remove(connection, forgotten)).isZero();
      assertThat(nodes.runs().keyed(KEY).join()).contains(run);
    }
  }

  @Test
  @DisplayName("given a forgotten key that a batch has locked, when purging, then it is left")
  void locked() throws SQLException {
    started(Duration.ZERO);
    removeRuns();
    try (var batch = nodes.database().connect()) {
      lock(batch);
      assertThat(purges()).isZero();
      batch.rollback();
    }
    assertThat(purges()).isEqualTo(1);
  }

  private static void lock(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (var statement = connection.createStatement()) {
      statement.execute("SELECT FROM hapax.run_key FOR UPDATE");
    }
  }
}
