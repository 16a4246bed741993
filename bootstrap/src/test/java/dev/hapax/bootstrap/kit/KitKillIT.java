package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

  private void kill(Kit kit, int kills) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(LEASE);
      var runs = new ArrayList<String>();
      var lives = new Lives(scene);
      for (var i = 0; i < kills; i++) {
        while (open(scene, runs) < OPEN_RUNS) {
          runs.add(scene.start());
        }
        lives.liveAndDie();
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
    return runs.stream().filter(run -> !scene.client().runs().get(run).hasEndedAt()).count();
  }

  /** The workers one after the other, and what they recorded. */
  private static final class Lives {
    private final KitScene scene;
    private final Set<String> recorded = new HashSet<>();
    private int kills;

    Lives(KitScene scene) {
      this.scene = scene;
    }

    /** A worker that is killed in the midst of its work, after it has recorded something. */
    void liveAndDie() {
      var before = scene.effects().size();
      try (var worker = scene.worker(WORK)) {
        Condition.await(
            "it works",
            KitScene.PATIENCE,
            () -> scene.effects().size() >= before + EFFECTS_IN_A_LIFE);
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
