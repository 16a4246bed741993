package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.client.RunSignal;
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
  private static final int RECORDS = 1_000;

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
    var records =
        IntStream.range(0, RECORDS)
            .mapToObj("{\"record\": \"part-%d\", \"work\": [{\"return\": 1}]}"::formatted)
            .collect(Collectors.joining(", "));
    try (var own = KitMetrics.deployment();
        var scene = new KitScene(kit, own, folder)) {
      scene.define(LEASE);
      try (var worker =
          scene.worker(
              "["
                  + records
                  + ", {\"await_signal\": \"go\"}, {\"hold\": \"a\"}, {\"return\": 1}]")) {
        var metrics = new KitMetrics(own);
        var run = scene.start();
        Condition.await(
            "it waits",
            KitScene.PATIENCE,
            () -> scene.client().runs().get(run).getStatus() == RunStatus.RUN_STATUS_WAITING);
        var before = metrics.value("hapax_calls_total", "WorkerService/RecordStep");
        scene.client().runs().signal(run, RunSignal.of("go"));
        worker.event("holds", "latch", "a");
        // that of the signal
        assertThat(metrics.value("hapax_calls_total", "WorkerService/RecordStep"))
            .isEqualTo(before + 1);
        assertThat(metrics.value("hapax_calls_total", "WorkerService/ListRecords")).isZero();
        worker.open("a");
        assertCompleted(scene, run);
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
          assertThat(scene.client().runs().get(run).getState().getJson())
              .isEqualTo("{\"done\":" + done + "}");
          worker.open(latch);
        }
        assertCompleted(scene, run);
        assertThat(scene.client().runs().get(run).getState().getJson())
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
