package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of each kit: how they are read and written, and the state that travels with them. */
class KitRecordsIT {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final String RECORD_STEP = "WorkerService/RecordStep";

  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private static void assertCompleted(KitScene scene, String run) {
    var ended = scene.ended(run);
    assertThat(ended.getStatus()).as("%s", ended).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // a server of its own
  @DisplayName(
      "given a run with 1,000 records that waits, when it is resumed, then no record is read or"
          + " written before the next new one [workflows-M1]")
  void resumes(Kit kit) throws IOException {
    resumes(kit, 1_000, 1);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // a server of its own
  @DisplayName(
      "given a run with 400 records that waits three times, when it is resumed, then no record is"
          + " read or written before the next new one [workflows-M3]")
  void resumesOften(Kit kit) throws IOException {
    resumes(kit, 400, 3);
  }

  private void resumes(Kit kit, int records, int waits) throws IOException {
    var work =
        IntStream.range(0, records)
            .mapToObj("{\"record\": \"part-%d\", \"work\": [{\"return\": 1}]}"::formatted)
            .collect(Collectors.joining(", ", "[", ", "));
    var ends =
        IntStream.range(0, waits)
            .mapToObj("{\"await_signal\": \"go-%1$d\"}, {\"hold\": \"%1$d\"}, "::formatted)
            .collect(Collectors.joining("", "", "{\"return\": 1}]"));
    try (var own = KitMetrics.deployment();
        var scene = new KitScene(kit, own, folder)) {
      scene.define(LEASE);
      try (var worker = scene.worker(work + ends)) {
        var metrics = new KitMetrics(own);
        var run = scene.start();
        for (var wait = 0; wait < waits; wait++) {
          Condition.await(
              "it waits",
              KitScene.PATIENCE,
              () -> scene.client().runs().get(run).status() == RunStatus.RUN_STATUS_WAITING);
          var before = metrics.calls(RECORD_STEP);
          scene.client().runs().signal(run, "go-" + wait, null);
          worker.event("holds", "latch", String.valueOf(wait));
          // that of the signal
          assertThat(metrics.calls(RECORD_STEP)).isEqualTo(before + 1);
          assertThat(metrics.calls("WorkerService/ListRecords")).isZero();
          worker.open(String.valueOf(wait));
        }
        assertCompleted(scene, run);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // a server of its own
  @DisplayName(
      "given a map of 1,000 branches, 100 of them at once, then its records need at most 60 calls"
          + " [workflows-M4]")
  void batches(Kit kit) throws IOException {
    try (var own = KitMetrics.deployment();
        var scene = new KitScene(kit, own, folder)) {
      scene.define(LEASE);
      try (var _ = scene.worker(KitScene.branches(1_000, 100))) {
        var run = scene.start();
        assertCompleted(scene, run);
        assertThat(scene.effects()).hasSize(1_000);
        assertThat(new KitMetrics(own).calls(RECORD_STEP)).isLessThanOrEqualTo(60);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given changes of the state, then they are visible with the next record or at once, while the"
          + " code runs, and the next execution does not make them again [workflows-L1]")
  void state(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(LEASE);
      try (var worker =
          scene.worker(
              """
              [{"patch": {"done": 1}}, {"record": "first", "work": [{"return": 1}]}, {"hold": "a"},
               {"set_state": {"done": 2}}, {"hold": "b"}, {"set_state": {"done": 3}}, {"hold": "c"},
               {"suspend": "wait", "ms": 1000}, {"patch": {"ended": true}}, {"return": 1}]
              """)) {
        var run = scene.start();
        for (var latch : new String[] {"a", "b", "c"}) {
          worker.event("holds", "latch", latch);
          var done = latch.charAt(0) - 'a' + 1;
          assertThat(scene.client().runs().get(run).message().getState().getJson())
              .isEqualTo("{\"done\":" + done + "}");
          worker.open(latch);
        }
        assertCompleted(scene, run);
        assertThat(scene.client().runs().get(run).message().getState().getJson())
            .isEqualTo("{\"done\":3,\"ended\":true}");
        assertThat(
                scene.events(run).stream()
                    .filter(event -> event.getStepRecorded().hasStatePatch())
                    .map(event -> event.getStepRecorded().getName()))
            .containsExactly("first", "state", "state#2");
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a wait in a branch of a map, then the run fails and says so")
  void waitInBranch(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(LEASE);
      try (var _ =
          scene.worker(
              """
              [{"map": "each", "keys": ["a"], "work": [{"suspend": "wait", "ms": 50}]}]
              """)) {
        var ended = scene.ended(scene.start());
        assertThat(ended.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
        assertThat(ended.getFailure().getCode()).isEqualTo("WAIT_IN_BRANCH");
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a server without parts, then a worker does not poll it, and says what to do")
  void olderServer(Kit kit) throws Exception {
    try (var server = RepeatingServer.withoutParts();
        var scene = new KitScene(kit, server.target(), folder, Map.of());
        var program = scene.program()) {
      var _ =
          program.send(
              "work", "\"queue\": \"work\", \"definition\": \"case\", \"steps\": {\"only\": []}");
      var line = program.process().awaitError(each -> each.contains("lacks parts"));
      assertThat(line).contains(KitServerInfo.VERSION, "upgrade the server");
      assertThat(server.polls()).isZero();
    }
  }
}
