package dev.hapax.postgres.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.definition.LatestDefinition;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The decision to start a run sees what other nodes have registered, without any notification. */
class LatestDefinitionIT {
  private static final Attribution ANN = new Attribution("ann", "a new step", PrincipalName.NONE);
  private static final Workspace WORKSPACE = RunSamples.WORKSPACE;
  private static final List<StepDefinition> STEPS =
      List.of(
          new StepDefinition(
              "a", new StepDefinition.Signal(new SignalFilter.OfType("go"), Optional.empty())));

  private static RunNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(2);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Definition registered(int node, DefinitionId id) {
    var outcome = nodes.ledger(node).submit(new RegisterDefinition(id, STEPS, ANN)).join();
    return ((RegisterOutcome.Registered) outcome).definition();
  }

  private static StartOutcome started(int node, Definition guess) {
    return nodes
        .ledger(node)
        .submit(
            new StartRun(
                    new RunId(WORKSPACE, RunSamples.newRun().uuid()),
                    guess,
                    new Payload.Json("1"),
                    Map.of(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Actor.caller(""))
                .ofLatest(guess))
        .orTimeout(30, TimeUnit.SECONDS)
        .join();
  }

  @Test
  @DisplayName(
      "given a later version of another node, when starting, then it is named and no run starts")
  void outdated() {
    var name = new DefinitionName(WORKSPACE, "outdated");
    for (var round = 0; round < 20; round++) {
      var first = registered(0, name.version(round + "a"));
      assertThat(started(0, first)).isInstanceOf(StartOutcome.Created.class);
      var second = registered(1, name.version(round + "b"));
      assertThat(started(0, first))
          .isEqualTo(new StartOutcome.DefinitionOutdated(Optional.of(second.id())));
      assertThat(started(0, second)).isInstanceOf(StartOutcome.Created.class);
    }
  }

  @Test
  @DisplayName("given a definition that is not stored, when starting it, then no run starts")
  void unknown() {
    var never = new Definition(new DefinitionId(WORKSPACE, "never", "1"), STEPS, RunSamples.NOW);
    assertThat(started(0, never)).isEqualTo(new StartOutcome.DefinitionOutdated(Optional.empty()));
  }

  @Test
  @DisplayName("given versions of a name, when loading, then the last registered one is found")
  void latest() {
    var name = new DefinitionName(WORKSPACE, "latest");
    registered(0, name.version("9"));
    registered(1, new DefinitionId(WORKSPACE, "latest too", "99"));
    var last = registered(1, name.version("10"));
    registered(0, name.version("9"));
    assertThat(nodes.run(RunNodes.read(name))).isEqualTo(LatestDefinition.of(last));
  }

  @Test
  @DisplayName(
      "given a locked definition, when its name is started or registered, then they do not wait")
  void locksNothing() throws SQLException {
    var name = new DefinitionName(WORKSPACE, "busy");
    var first = registered(0, name.version("1"));
    try (var other = nodes.database().connect();
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT * FROM hapax.definition WHERE name = 'busy' FOR UPDATE");
      assertThat(started(0, first)).isInstanceOf(StartOutcome.Created.class);
      registered(1, name.version("2"));
      other.rollback();
    }
    assertThat(started(0, first)).isInstanceOf(StartOutcome.DefinitionOutdated.class);
  }
}
