package dev.hapax.postgres.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.ClaimStateCoverage;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RecordSweepRound;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.postgres.entity.EntityNodes;
import dev.hapax.postgres.entity.EntitySamples;
import dev.hapax.postgres.run.RunNodes;
import dev.hapax.postgres.run.RunSamples;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is written is what is loaded, and what is found. */
class JanitorRecordsIT {
  private static EntityNodes nodes;

  @BeforeAll
  static void start() {
    nodes = new EntityNodes(1);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Set<String> names(Random random) {
    var names = new HashSet<String>();
    for (var i = random.nextInt(4); i > 0; i--) {
      names.add(EntitySamples.NAMES.get(random.nextInt(EntitySamples.NAMES.size())) + i);
    }
    return names;
  }

  /** Down to nanoseconds: a third of an odd time is one of those. */
  private static Duration time(Random random) {
    return JanitorTiming.MIN.plusNanos(
        random.nextLong(JanitorTiming.MAX.minus(JanitorTiming.MIN).toNanos()));
  }

  private static Janitor random(Random random, String module) {
    var contract =
        new JanitorContract(
            module,
            random.nextInt(4) == 0
                ? new ClaimStateCoverage.All()
                : new ClaimStateCoverage.Named(names(random)),
            JanitorTiming.of(time(random), time(random)),
            random.nextBoolean() ? JanitorMode.HOSTED : JanitorMode.REMOTE);
    var demands = new HashMap<String, RequiredClaimStates>();
    names(random)
        .forEach(name -> demands.put(name, new RequiredClaimStates(name, module, names(random))));
    return new Janitor(
        random.nextInt(4) == 0 ? Optional.empty() : Optional.of(contract),
        random.nextInt(4) == 0 ? Instant.EPOCH : RunSamples.NOW,
        demands,
        random.nextBoolean()
            ? Attribution.SERVER
            : new Attribution("ann", "it's \u00fc", new PrincipalName("api-key:billing")));
  }

  @Test
  @DisplayName("given a janitor, when it is written and changed, then it is read as written")
  void roundTrip() {
    var ids =
        EntitySamples.NAMES.stream()
            .map(name -> new JanitorId(new Workspace("records"), name))
            .toList();
    for (var seed = 0; seed < 20; seed++) {
      var random = new Random(seed);
      var janitors = ids.stream().map(id -> random(random, id.module())).toList();
      EntityNodes.awaitAll(
          IntStream.range(0, ids.size())
              .mapToObj(i -> nodes.submit(0, RunNodes.write(ids.get(i), janitors.get(i)))));
      assertThat(EntityNodes.awaitAll(ids.stream().map(id -> nodes.submit(0, RunNodes.read(id)))))
          .isEqualTo(janitors);
      assertThat(EntityNodes.awaitAll(ids.stream().map(id -> nodes.janitors().find(id))))
          .isEqualTo(janitors.stream().map(Optional::of).toList());
    }
    var other = new JanitorId(new Workspace("elsewhere"), EntitySamples.NAMES.getFirst());
    assertThat(EntityNodes.await(nodes.janitors().find(other))).isEmpty();
  }

  @Test
  @DisplayName(
      "given sweeps, when janitors are listed, then each has its last sweep and the " + "time [C6]")
  void rounds() {
    var expected = new ArrayList<JanitorStatus>();
    for (var workspace : List.of("rounds", "other-rounds")) {
      for (var module : List.of("b", "a", "c")) {
        var id = new JanitorId(new Workspace(workspace), module);
        var janitor = random(new Random(7), module);
        var mode = janitor.contract().orElseThrow().mode();
        nodes.run(RunNodes.write(id, janitor));
        var last = Optional.<SweepRound>empty();
        for (var i = 0; i < module.charAt(0) - 'a'; i++) {
          last = nodes.run(new RecordSweepRound(new SweepRoundId(id), mode, i, i > 0));
          assertThat(last).isPresent();
        }
        expected.add(new JanitorStatus(id, janitor, last, Instant.EPOCH));
      }
    }
    var before = Instant.now();
    var found = listed("rounds", 500);
    assertThat(found).extracting(watched -> watched.id().module()).containsExactly("a", "b", "c");
    assertThat(found)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at")
        .containsExactlyInAnyOrderElementsOf(expected.subList(0, 3));
    assertThat(found)
        .allSatisfy(
            watched -> {
              // one machine, two ways to ask for its clock
              assertThat(watched.at())
                  .isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
              watched.last().ifPresent(round -> assertThat(round.at()).isBefore(watched.at()));
            });
    assertThat(listed("rounds", 2))
        .extracting(JanitorStatus::id)
        .isEqualTo(found.stream().map(JanitorStatus::id).toList());
    assertThat(EntityNodes.await(nodes.janitors().list()))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at")
        .containsAll(expected);
    assertThat(listed("empty", 2)).isEmpty();
    assertThat(EntityNodes.await(nodes.janitors().count(expected.getFirst().id().workspace())))
        .isPositive();
    assertThat(EntityNodes.await(nodes.janitors().count(new Workspace("empty")))).isZero();
  }

  private static List<JanitorStatus> listed(String workspace, int size) {
    var all = new ArrayList<JanitorStatus>();
    var after = Optional.<String>empty();
    do {
      var page = EntityNodes.await(nodes.janitors().list(new Workspace(workspace), size, after));
      all.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return all;
  }
}
