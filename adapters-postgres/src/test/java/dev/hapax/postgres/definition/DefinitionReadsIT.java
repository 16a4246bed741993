package dev.hapax.postgres.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.DefinitionReads;
import dev.hapax.domain.definition.DefinitionReads.Position;
import dev.hapax.domain.definition.DefinitionReads.Query;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.domain.definition.SignalFilter;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DefinitionReadsIT {
  private static final Attribution ANN =
      new Attribution("ann", "a new step", new PrincipalName("api-key:billing"));
  private static final Workspace WORKSPACE = new Workspace("definitions");
  private static final List<Definition> NEWEST_FIRST =
      Stream.of(
              at("b", "1", 1),
              at("b", "3", 2),
              at("b", "2", 3),
              at("a", "1", 3),
              at("a", "10", 3),
              at("c", "1", 3))
          .sorted(
              Comparator.comparing(Definition::registeredAt)
                  .thenComparing(definition -> definition.id().name())
                  .thenComparing(definition -> definition.id().version())
                  .reversed())
          .toList();

  private static RunNodes nodes;
  private static DefinitionReads reads;

  @BeforeAll
  static void start() {
    nodes = new RunNodes(1);
    reads = nodes.definitions();
    NEWEST_FIRST.forEach(definition -> nodes.run(RunNodes.write(definition.id(), definition)));
    var elsewhere = new DefinitionId(new Workspace("elsewhere"), "a", "99");
    nodes.run(
        RunNodes.write(
            elsewhere, RunSamples.definition(elsewhere, RunSamples.NOW.plusSeconds(99))));
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Definition at(String name, String version, int second) {
    return RunSamples.definition(
        new DefinitionId(WORKSPACE, name, version), RunSamples.NOW.plusSeconds(second));
  }

  @Test
  @DisplayName("a definition is found by name and version, in its workspace only")
  void find() {
    var some = NEWEST_FIRST.getFirst();
    assertThat(reads.find(some.id()).join()).contains(some);
    assertThat(reads.find(some.id()).join()).contains(some);
    assertThat(reads.find(new DefinitionId(WORKSPACE, "a", "99")).join()).isEmpty();
    assertThat(reads.find(new DefinitionId(WORKSPACE, "b", "10")).join()).isEmpty();
  }

  @Test
  @DisplayName("given versions of a name, then the latest is the one registered last")
  void latest() {
    assertThat(reads.latest(WORKSPACE, "b").join()).contains(at("b", "2", 3));
    assertThat(reads.latest(WORKSPACE, "a").join()).contains(at("a", "10", 3));
    assertThat(reads.latest(WORKSPACE, "d").join()).isEmpty();
  }

  @Test
  @DisplayName("pages of every size together are the list, of one name and of all")
  void list() {
    for (var size = 1; size <= NEWEST_FIRST.size() + 1; size++) {
      assertThat(pages(Optional.empty(), size)).isEqualTo(NEWEST_FIRST);
      assertThat(pages(Optional.of("b"), size))
          .isEqualTo(NEWEST_FIRST.stream().filter(d -> d.id().name().equals("b")).toList());
    }
    assertThat(pages(Optional.of("d"), 3)).isEmpty();
  }

  private static List<Definition> pages(Optional<String> name, int size) {
    var all = new ArrayList<Definition>();
    var after = Optional.<Position>empty();
    do {
      var page = reads.list(new Query(WORKSPACE, name, size, after)).join();
      assertThat(page.items().size()).isLessThanOrEqualTo(size);
      all.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return all;
  }

  @Test
  @DisplayName("given definitions too large for one page, when listed, then pages end early")
  void largeDefinitions() {
    var workspace = new Workspace("large");
    var steps = new ArrayList<StepDefinition>();
    for (var i = 0; i < Definition.MAX_STEPS; i++) {
      steps.add(
          new StepDefinition(
              i + "x".repeat(90),
              new StepDefinition.Signal(
                  new SignalFilter.OfType("y".repeat(250)), Optional.empty())));
    }
    for (var i = 0; i < 20; i++) {
      nodes.run(
          new RegisterDefinition(
              new DefinitionId(workspace, "large", String.valueOf(i)), steps, ANN));
    }

    var first = reads.list(new Query(workspace, Optional.empty(), 20, Optional.empty())).join();
    assertThat(first.items().size()).isBetween(2, 19);
    var second = reads.list(new Query(workspace, Optional.empty(), 20, first.next())).join();
    assertThat(second.next()).isEmpty();
    assertThat(first.items().size() + second.items().size()).isEqualTo(20);
    assertThat(second.items().getLast().steps()).isEqualTo(steps);
  }

  @Test
  @DisplayName(
      "given a registered version, then it can be registered again, but not with other steps")
  void register() {
    var id = new DefinitionId(new Workspace("registered"), "d", "1");
    var steps = NEWEST_FIRST.getFirst().steps();
    var registered = (RegisterOutcome.Registered) nodes.run(new RegisterDefinition(id, steps, ANN));
    assertThat(registered.already()).isFalse();
    assertThat(nodes.run(new RegisterDefinition(id, steps, ANN)))
        .isEqualTo(new RegisterOutcome.Registered(registered.definition(), true));
    var others = List.of(new StepDefinition("other", steps.getFirst().kind()));
    assertThat(nodes.run(new RegisterDefinition(id, others, ANN)))
        .isEqualTo(new RegisterOutcome.Different(registered.definition()));
  }
}
