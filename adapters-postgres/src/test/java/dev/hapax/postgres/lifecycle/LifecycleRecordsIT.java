package dev.hapax.postgres.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
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
import java.util.ArrayList;
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
    var by =
        new Attribution(
            "ann " + version,
            version % 2 == 0 ? "" : "it's \u00fc",
            new PrincipalName(version % 3 == 0 ? "" : "api-key:\u00fc"));
    return new AppliedLifecycle(lifecycle, version, RunSamples.NOW, by, retiring);
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
      var other = LifecycleSamples.read(LifecycleJson.print(lifecycle).replace("~", "#"));
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

  private static List<AppliedLifecycle> listed(String workspace, int size) {
    var all = new ArrayList<AppliedLifecycle>();
    var after = Optional.<String>empty();
    do {
      var page = EntityNodes.await(nodes.lifecycles().list(new Workspace(workspace), size, after));
      assertThat(page.items()).hasSizeLessThanOrEqualTo(size);
      all.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return all;
  }

  @Test
  @DisplayName("all lifecycles of a workspace are listed by name, page by page")
  void list() {
    var some = samples(20);
    for (var workspace : List.of("list-b", "list-a")) {
      some.forEach(
          lifecycle -> write(id(workspace, lifecycle), applied(lifecycle, 3, Optional.empty())));
    }
    var found = listed("list-a", 3);
    assertThat(listed("list-a", 500)).isEqualTo(found);
    assertThat(found).containsExactlyInAnyOrderElementsOf(applied(some));
    assertThat(found)
        .extracting(applied -> applied.lifecycle().name())
        .isSortedAccordingTo(EntitySamples.BYTES);
    assertThat(listed("list-c", 3)).isEmpty();
  }

  @Test
  @DisplayName("a page of large lifecycles is short")
  void largePages() {
    var statuses = IntStream.range(0, 1_000).mapToObj(i -> i + "-" + "s".repeat(240)).toList();
    IntStream.range(10, 50)
        .mapToObj(i -> new Lifecycle("l" + i, "m", "e", statuses, List.of()))
        .forEach(large -> write(id("large", large), applied(large, 1, Optional.empty())));
    var first =
        EntityNodes.await(nodes.lifecycles().list(new Workspace("large"), 500, Optional.empty()));
    assertThat(first.items()).hasSizeBetween(1, 39);
    assertThat(first.next()).contains(first.items().getLast().lifecycle().name());
    assertThat(listed("large", 500)).hasSize(40);
  }

  @Test
  @DisplayName("the lifecycles of a workspace are counted up to the limit")
  void count() {
    var workspace = new Workspace("room");
    assertThat(EntityNodes.await(nodes.lifecycles().count(workspace))).isZero();
    EntityNodes.awaitAll(
        IntStream.range(0, 1_001)
            .mapToObj(i -> new Lifecycle("" + i, "m", "e", List.of("a"), List.of()))
            .map(each -> RunNodes.write(id("room", each), applied(each, 1, Optional.empty())))
            .map(write -> nodes.submit(0, write)));
    assertThat(EntityNodes.await(nodes.lifecycles().count(workspace))).isEqualTo(1_000);
    assertThat(EntityNodes.await(nodes.lifecycles().count(new Workspace("other")))).isZero();
  }

  private static List<AppliedLifecycle> applied(List<Lifecycle> lifecycles) {
    return lifecycles.stream().map(each -> applied(each, 3, Optional.empty())).toList();
  }
}
