package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers of each kit that are killed again and again. */
class KitKillIT {
  /** Each life records more than a run loses: a step has 20 attempts. */
  private static final int RECORDS = 30;

  private static final int EFFECTS_IN_A_LIFE = 3;

  private static final Duration LEASE = Duration.ofSeconds(2);

  /** Does not expire while its worker lives. */
  private static final Duration LONG_LEASE = Duration.ofSeconds(5);

  /** So many that the next worker need not wait for the lease of the last one. */
  private static final int OPEN_RUNS = 5;

  private static final String WORK =
      IntStream.range(0, RECORDS)
          .mapToObj("{\"record\": \"part-%d\", \"work\": [{\"effect\": \"part\"}]}"::formatted)
          .collect(Collectors.joining(", ", "[", "]"));

  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a worker that is killed 5 times, then each recorded effect is in its ledger once")
  void fewKills(Kit kit) throws IOException {
    kill(kit, 5);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly")
  @DisplayName(
      "given a worker that is killed 20 times, then each recorded effect is in its ledger once")
  void manyKills(Kit kit) throws IOException {
    kill(kit, 20);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("soak")
  @DisplayName(
      "given a worker that is killed 100 times, then each recorded effect is in its ledger once")
  void hundredKills(Kit kit) throws IOException {
    kill(kit, 100);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault")
  @DisplayName(
      "given 20 runs of 8 branches, when workers are killed at random, then each branch is recorded"
          + " once, runs no more then, and fits the code [workflows-V6]")
  void branches(Kit kit) throws IOException {
    killBranches(kit, 20, 8, 40);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly")
  @DisplayName(
      "given 1,000 runs of 8 branches of a kit with threads, and 100 of the others, when workers are"
          + " killed at random, then each branch is recorded once [workflows-V6]")
  void manyBranches(Kit kit) throws IOException {
    killBranches(kit, kit == Kit.PYTHON ? 1_000 : 100, 8, 400);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly")
  @DisplayName(
      "given a run of 1,000 branches, when workers are killed at random, then each branch is recorded"
          + " once [workflows-M4]")
  void wideMap(Kit kit) throws IOException {
    killBranches(kit, 1, 1_000, 400);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly")
  @DisplayName(
      "given runs with three records at once, when the worker is killed after some of them, then"
          + " another one begins them in another order, and each run completes [workflows-V8]")
  void together(Kit kit) throws IOException {
    killTogether(kit, 1, 10);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly")
  @DisplayName(
      "given 1,000 runs of a kit with threads, and 100 of the others, with three records at once, when"
          + " workers are killed after some of them, then each run completes [workflows-V8]")
  void oftenTogether(Kit kit) throws IOException {
    killTogether(kit, kit == Kit.PYTHON ? 20 : 2, 50);
  }

  /** Kills each worker after a random number of effects, up to {@code most}. */
  private void killBranches(Kit kit, int runs, int branches, int most) throws IOException {
    var random = new Random(runs);
    var work = KitScene.branches(branches, 10);
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(LEASE);
      var started = Stream.generate(scene::start).limit(runs).toList();
      var lives = new Lives(scene, work);
      while (new HashSet<>(scene.effects()).size() < runs * branches - most) {
        lives.liveAndDie(1 + random.nextInt(most));
      }
      try (var _ = scene.worker(work)) {
        assertRecordedOnce(scene, started, branches);
      }
    }
  }

  private void killTogether(Kit kit, int rounds, int runs) throws IOException {
    var random = new Random(rounds);
    var names = Arrays.asList("c", "a", "b");
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(LONG_LEASE);
      for (var round = 0; round < rounds; round++) {
        var started = Stream.generate(scene::start).limit(runs).toList();
        try (var first = scene.worker(runs, together(names))) {
          Condition.await(
              "all bodies have begun",
              KitScene.PATIENCE,
              () -> distinct(first, "holds", "latch") == (names.size() + 1L) * runs);
          names.subList(0, 2).forEach(first::open);
          var enough = 1 + random.nextInt(2 * runs);
          Condition.await("some are recorded", () -> first.events("recorded").size() >= enough);
          first.process().kill9();
        }
        Collections.shuffle(names, random);
        try (var second = scene.worker(runs, together(names))) {
          names.forEach(second::open);
          Condition.await(
              "all are recorded",
              KitScene.PATIENCE,
              () -> distinct(second, "recorded", "name") == (long) names.size() * runs);
          second.open("end");
          assertRecordedOnce(scene, started, names.size());
        }
      }
    }
  }

  /** Work that begins these records at once, and ends when the test says so. */
  private static String together(List<String> names) {
    return names.stream()
        .map(
            """
            {"beside": [{"record": "%1$s", "work": [{"effect": "%1$s"}, {"hold": "%1$s"}]}]}
            """
                ::formatted)
        .collect(Collectors.joining(", ", "[", ", {\"hold\": \"end\"}, {\"return\": 1}]"));
  }

  private static long distinct(KitProgram worker, String event, String member) {
    return worker.events(event).stream()
        .map(each -> KitJson.text(each, "id") + "/" + KitJson.text(each, member))
        .distinct()
        .count();
  }

  /** Each run completes, and each effect is recorded once, by the last execution that made it. */
  private static void assertRecordedOnce(KitScene scene, List<String> runs, int records) {
    var fences = new HashMap<String, String>();
    for (var run : runs) {
      var ended = scene.ended(run);
      var before = fences.size();
      var fence = 0L;
      for (var event : scene.events(run)) {
        assertThat(event.getLeaseGivenBack().getReason().getCode()).isNotEqualTo("CODE_CHANGED");
        if (event.hasStepStarted()) {
          fence = event.getStepStarted().getFence();
        }
        if (event.hasStepRecorded()) {
          assertThat(fences.put(event.getStepId(), String.valueOf(fence))).isNull();
        }
      }
      assertThat(ended.getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(fences).hasSize(before + records);
    }
    var last = new HashMap<String, String>();
    scene.ledger().forEach(line -> last.put(line.getLast(), line.get(1)));
    assertThat(last).containsAllEntriesOf(fences);
  }

  private void kill(Kit kit, int kills) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(LEASE);
      var runs = new ArrayList<String>();
      var lives = new Lives(scene, WORK);
      for (var i = 0; i < kills; i++) {
        while (open(scene, runs) < OPEN_RUNS) {
          runs.add(scene.start());
        }
        lives.liveAndDie(EFFECTS_IN_A_LIFE);
      }
      try (var _ = scene.worker(WORK)) {
        for (var run : runs) {
          assertThat(scene.ended(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
        }
      }
      lives.assertOnce(runs);
    }
  }

  private static long open(KitScene scene, List<String> runs) {
    return runs.stream().filter(run -> !scene.client().runs().get(run).hasEnded()).count();
  }

  /** The workers one after the other, and what they recorded. */
  private static final class Lives {
    private final KitScene scene;
    private final String work;
    private final Set<String> recorded = new HashSet<>();
    private int kills;

    Lives(KitScene scene, String work) {
      this.scene = scene;
      this.work = work;
    }

    /** A worker that is killed in the midst of its work, after so many effects. */
    void liveAndDie(int effects) {
      var before = scene.effects().size();
      try (var worker = scene.worker(work)) {
        Condition.await(
            "it works", KitScene.PATIENCE, () -> scene.effects().size() >= before + effects);
        worker.process().kill9();
        kills++;
        // what an earlier worker has recorded does not happen again
        assertThat(scene.effects().stream().skip(before)).noneMatch(recorded::contains);
        worker
            .events("recorded")
            .forEach(
                event ->
                    recorded.add(KitJson.text(event, "id") + "/" + KitJson.text(event, "name")));
      }
    }

    void assertOnce(List<String> runs) {
      // a kill between an effect and its record repeats the effect under the same id
      assertThat(scene.effects()).hasSizeLessThanOrEqualTo(runs.size() * RECORDS + kills);
      // so a ledger that keeps its keys has each effect once
      var ledger = new HashSet<>(scene.effects());
      assertThat(ledger).hasSize(runs.size() * RECORDS).containsAll(recorded);
      assertThat(recorded).hasSizeGreaterThan(kills);
    }
  }
}
