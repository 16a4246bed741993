package dev.hapax.postgres.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.postgres.entity.EntityNodes;
import dev.hapax.postgres.entity.EntitySamples;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is written is what is loaded, and what is found. */
class LifecycleRecordsIT {
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(2);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static List<Lifecycle> samples(int number) {
    return IntStream.range(0, number)
        .mapToObj(seed -> LifecycleSamples.random(new Random(seed)))
        .toList();
  }

  private static LifecycleId id(String workspace, Lifecycle lifecycle) {
    return new LifecycleId(new Workspace(workspace), lifecycle.name());
  }

  private static void write(LifecycleId id, AppliedLifecycle applied) {
    var version = new LifecycleVersionId(id, applied.version());
    var writes =
        Stream.of(RunNodes.write(version, applied.lifecycle()), RunNodes.write(id, applied));
    EntityNodes.awaitAll(writes.map(write -> nodes.submit(0, write)));
  }

  private static AppliedLifecycle applied(
      Lifecycle lifecycle, long version, Optional<Retirement> retiring) {
    return new AppliedLifecycle(lifecycle, version, RunSamples.NOW, retiring);
  }

  private static void assertKept(LifecycleId id, AppliedLifecycle applied) {
    var found = IntStream.range(0, 2).mapToObj(node -> nodes.submit(node, RunNodes.read(id)));
    assertThat(EntityNodes.awaitAll(found)).containsOnly(applied);
    assertThat(EntityNodes.await(nodes.lifecycles().find(id))).contains(applied);
  }

  @Test
  @DisplayName(
      "a lifecycle is read as it was applied, on every node, and so is each of its versions")
  void versions() {
    for (var lifecycle : samples(25)) {
      var id = id("versions", lifecycle);
      write(id, applied(lifecycle, 1, Optional.empty()));
      assertKept(id, applied(lifecycle, 1, Optional.empty()));
      var other = LifecycleSamples.read(LifecycleText.print(lifecycle).replace("~", "#"));
      write(id, applied(other, 2, Optional.empty()));
      assertKept(id, applied(other, 2, Optional.empty()));
      var first = new LifecycleVersionId(id, 1);
      assertThat(nodes.run(RunNodes.read(first))).isEqualTo(lifecycle);
      assertThat(EntityNodes.await(nodes.lifecycles().version(first))).contains(lifecycle);
    }
    var unknown = new LifecycleId(new Workspace("elsewhere"), samples(1).getFirst().name());
    assertThat(EntityNodes.await(nodes.lifecycles().find(unknown))).isEmpty();
    assertThat(EntityNodes.await(nodes.lifecycles().version(new LifecycleVersionId(unknown, 1))))
        .isEmpty();
  }

  @Test
  @DisplayName("what is retiring is kept, changes and goes away again")
  void retiring() {
    var lifecycle = samples(1).getFirst();
    var id = id("retiring", lifecycle);
    var statuses = Set.copyOf(lifecycle.statuses());
    write(id, applied(lifecycle, 7, Optional.empty()));
    for (var retiring :
        List.of(
            Optional.of(new Retirement(statuses, Long.MIN_VALUE, RunSamples.NOW)),
            Optional.of(new Retirement(Set.of(), 1, RunSamples.NOW.plusSeconds(1))),
            Optional.<Retirement>empty())) {
      nodes.run(RunNodes.write(id, applied(lifecycle, 7, retiring)));
      assertKept(id, applied(lifecycle, 7, retiring));
    }
  }

  @Test
  @DisplayName("all lifecycles of a workspace are listed by name, and those of all workspaces")
  void list() {
    var some = samples(20);
    for (var workspace : List.of("list-b", "list-a")) {
      some.forEach(
          lifecycle -> write(id(workspace, lifecycle), applied(lifecycle, 3, Optional.empty())));
    }
    var found = EntityNodes.await(nodes.lifecycles().list(Optional.of(new Workspace("list-a"))));
    assertThat(found).containsExactlyInAnyOrderElementsOf(applied(some));
    assertThat(found)
        .extracting(applied -> applied.lifecycle().name())
        .isSortedAccordingTo(EntitySamples.BYTES);
    assertThat(EntityNodes.await(nodes.lifecycles().list(Optional.empty())))
        .containsAll(applied(some))
        .hasSizeGreaterThanOrEqualTo(2 * some.size());
    assertThat(EntityNodes.await(nodes.lifecycles().list(Optional.of(new Workspace("list-c")))))
        .isEmpty();
  }

  private static List<AppliedLifecycle> applied(List<Lifecycle> lifecycles) {
    return lifecycles.stream().map(each -> applied(each, 3, Optional.empty())).toList();
  }
}
