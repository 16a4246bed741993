package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.CuttingProxy;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.client.Value;
import dev.hapax.v1.Payload;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers of each kit. */
class KitWorkerIT {
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** Does not expire while a busy machine starts a worker, or delays a renewal. */
  private static final Duration LONG_LEASE = Duration.ofSeconds(5);

  /** Does not expire in a test. */
  private static final Duration UNTOUCHED_LEASE = Duration.ofMinutes(1);

  private static final int TASKS = 3;

  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private KitScene scene(Kit kit) throws IOException {
    return scene(kit, LEASE);
  }

  private KitScene scene(Kit kit, Duration lease) throws IOException {
    var scene = new KitScene(kit, deployment, folder);
    scene.define(lease);
    return scene;
  }

  private static void assertCompleted(Run run, String json) {
    assertThat(run.getStatus()).as("%s", run).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(run.getOutput()).isEqualTo(Payload.newBuilder().setJson(json).build());
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a code workflow, when it waits and gets a signal, then it goes on where it was")
  void workflow(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var worker =
            scene.worker(
                """
                [{"record": "reserve", "work": [{"effect": "reserve"}, {"return": {"seat": 7}}]},
                 {"patch": {"reserved": true}},
                 {"suspend": "cooling-off", "ms": 300},
                 {"await_signal": "approval"},
                 {"await_signal": "objection", "timeout_ms": 300},
                 {"record": "ship", "work": [{"effect": "ship"}]},
                 {"return": "shipped"}]
                """)) {
      var run = scene.start();
      var _ = worker.event("recorded", "name", "reserve");
      scene.client().runs().signal(run, "approval", new Value.Json("\"yes\""));
      var ended = scene.ended(run);
      assertCompleted(ended, "\"shipped\"");
      assertThat(ended.getState().getJson()).isEqualTo("{\"reserved\":true}");
      assertThat(KitJson.text(worker.event("signal", "name", "approval"), "value"))
          .isEqualTo("yes");
      assertThat(KitJson.text(worker.event("signal", "name", "objection"), "value")).isEmpty();
      var id = scene.step(run).getId();
      assertThat(scene.effects()).containsExactly(id + "/reserve", id + "/ship");
      assertThat(scene.step(run).getAttempt()).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a start that waits, then it returns the run with its output")
  void startAndAwait(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var _ = scene.worker("[{\"return\": \"paid\"}]");
        var caller = scene.program()) {
      var start = caller.ask("start", "\"definition\": \"case\", \"wait_ms\": 30000");
      assertThat(KitJson.text(start.getStructValue(), "output")).isEqualTo("paid");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given failures of a step, then a retryable one is retried, and a final one ends the run")
  void fails(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var worker = scene.worker("[{\"effect\": \"try\"}, {\"fail\": \"final\"}]");
        var caller = scene.program()) {
      var start = caller.ask("start", "\"definition\": \"case\", \"idempotency_key\": \"k\"");
      var run = start.getStructValue().getFieldsOrThrow("run_id").getStringValue();
      assertThat(caller.kind("result", "\"run_id\": \"%s\", \"at_most_ms\": 30000".formatted(run)))
          .isEqualTo("RunFailed");
      assertThat(scene.effects()).hasSize(1);
      assertThat(worker.count("begins")).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @Tag("long")
  @DisplayName(
      "given a worker killed after an effect and before its record, then the effect has the same id again")
  void killedBeforeRecord(Kit kit) throws IOException {
    try (var scene = scene(kit, LONG_LEASE);
        var first =
            scene.worker(
                "[{\"record\": \"charge\", \"work\": [{\"effect\": \"charge\"}, {\"hold\": \"a\"}]}]")) {
      var run = scene.start();
      first.event("holds", "latch", "a");
      first.process().kill9();
      try (var _ =
          scene.worker(
              "[{\"record\": \"charge\", \"work\": [{\"effect\": \"charge\"}, {\"return\": 1}]}, {\"return\": 2}]")) {
        assertCompleted(scene.ended(run), "2");
      }
      var id = scene.step(run).getId() + "/charge";
      assertThat(scene.effects()).containsExactly(id, id);
      assertThat(scene.step(run).getAttempt()).isEqualTo(2);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @Tag("long")
  @DisplayName("given a worker killed after a record, then the effect does not happen again")
  void killedAfterRecord(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var first =
            scene.worker(
                """
                [{"record": "charge", "work": [{"effect": "charge"}, {"return": "first"}]}, {"hold": "a"}]
                """)) {
      var run = scene.start();
      first.event("holds", "latch", "a");
      first.process().kill9();
      try (var second =
          scene.worker(
              "[{\"record\": \"charge\", \"work\": [{\"effect\": \"charge\"}]}, {\"return\": 2}]")) {
        assertCompleted(scene.ended(run), "2");
        assertThat(KitJson.text(second.event("recorded", "name", "charge"), "value"))
            .isEqualTo("first");
      }
      assertThat(scene.effects()).containsExactly(scene.step(run).getId() + "/charge");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // freezes
  @Tag("long")
  @DisplayName(
      "given a worker that stood still, when another has the step, then the result of the late one is dropped")
  void late(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var first = scene.worker("[{\"hold\": \"a\"}, {\"return\": \"late\"}]")) {
      var run = scene.start();
      first.event("holds", "latch", "a");
      first.process().stop();
      try (var second = scene.worker("[{\"hold\": \"b\"}, {\"return\": \"in time\"}]")) {
        second.event("holds", "latch", "b");
        first.process().cont();
        first.event("lost");
        first.open("a");
        // it polls again after its late result was refused
        second.open("b");
        assertCompleted(scene.ended(run), "\"in time\"");
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits until the step is offered again
  @DisplayName(
      "given a worker without a handler for a step, then it releases it, and another does it without losing an attempt")
  void unknownStep(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var older = scene.program()) {
      older.text(
          "work", "\"queue\": \"work\", \"definition\": \"case\", \"steps\": {\"other\": []}");
      var run = scene.start();
      Condition.await("released", () -> scene.step(run).hasDueAt());
      older.process().terminate();
      assertThat(older.process().awaitExit()).isZero();
      try (var _ = scene.worker("[{\"return\": 1}]")) {
        assertCompleted(scene.ended(run), "1");
      }
      assertThat(scene.step(run).getAttempt()).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for a heartbeat
  @DisplayName("given a run that is cancelled, then its worker learns it with a heartbeat")
  void cancelled(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var worker = scene.worker("[{\"hold\": \"a\"}]")) {
      var run = scene.start();
      worker.event("holds", "latch", "a");
      scene.client().runs().cancel(run, "test");
      worker.event("lost");
      worker.open("a");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for leases
  @DisplayName(
      "given SIGTERM, then the worker renews its lease until its step is done, polls no more, and ends with 0")
  void drains(Kit kit) throws IOException {
    try (var scene = scene(kit, LONG_LEASE);
        var worker = scene.worker("[{\"hold\": \"a\"}, {\"return\": \"drained\"}]")) {
      var run = scene.start();
      worker.event("holds", "latch", "a");
      worker.process().terminate();
      worker.event("stopping");
      var later = scene.start();
      var lease = scene.step(run).getLeaseUntil().getSeconds();
      Condition.await(
          "the lease is renewed past its end",
          () -> scene.step(run).getLeaseUntil().getSeconds() > lease + LONG_LEASE.toSeconds());
      worker.open("a");
      assertThat(worker.process().awaitExit()).as("%s", worker.process().errors()).isZero();
      assertCompleted(scene.ended(run), "\"drained\"");
      assertThat(scene.step(run).getAttempt()).isEqualTo(1);
      assertThat(scene.step(later).getAttempt()).isZero();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills a server
  @Tag("long")
  @DisplayName(
      "given a server that is killed during a poll, then the worker goes on with the next one")
  void serverRestart(Kit kit) throws IOException {
    try (var own = Deployment.start();
        var scene = new KitScene(kit, own, folder);
        var proxy = new CuttingProxy(own.target());
        var worker = scene.worker(scene.program(proxy.target(), Map.of()), "[{\"return\": 1}]")) {
      scene.define(LEASE);
      assertCompleted(scene.ended(scene.start()), "1");
      // its next poll waits there
      own.server().kill9();
      var next = own.add();
      var target = next.awaitReady();
      proxy.forwardTo(target);
      try (var restarted = scene.at(target)) {
        assertCompleted(restarted.ended(restarted.start()), "1");
      }
      assertThat(worker.process().isAlive()).isTrue();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // two servers
  @DisplayName("given two servers, when a run starts at one, then a worker of the other does it")
  void twoServers(Kit kit) throws IOException {
    try (var own = Deployment.start();
        var scene = new KitScene(kit, own, folder)) {
      scene.define(LEASE);
      var second = own.add().awaitReady();
      try (var _ =
              scene.worker(
                  scene.program(second, Map.of()),
                  "[{\"await_signal\": \"go\"}, {\"return\": 1}]");
          var caller = scene.program()) {
        var run = scene.start();
        assertThat(caller.text("signal_run", "\"run_id\": \"%s\", \"type\": \"go\"".formatted(run)))
            .isIn("BUFFERED", "DELIVERED");
        assertCompleted(scene.ended(run), "1");
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // cuts connections
  @Tag("long")
  @DisplayName(
      "given answers to polls, records and completions that are lost, then each effect happens once")
  void lostAnswers(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var proxy = new CuttingProxy(deployment.target());
        var worker =
            scene.worker(
                scene.program(proxy.target(), Map.of()),
                """
                [{"hold": "a"}, {"record": "charge", "work": [{"effect": "charge"}, {"hold": "b"}]},
                 {"hold": "c"}, {"return": 1}]
                """)) {
      proxy.cutNextAnswer();
      var run = scene.start();
      for (var latch : new String[] {"a", "b", "c"}) {
        worker.event("holds", "latch", latch);
        proxy.cutNextAnswer();
        worker.open(latch);
      }
      assertCompleted(scene.ended(run), "1");
      assertThat(scene.effects()).hasSize(1);
      assertThat(scene.step(run).getAttempt()).isEqualTo(1);
      // the run ends before the answer to its completion is lost
      Condition.await("three answers are lost", () -> proxy.cuts() >= 3);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for heartbeats
  @DisplayName("given three tasks in the hands of one worker, then each heartbeat renews all three")
  void oneHeartbeat(Kit kit) throws IOException {
    try (var own = KitMetrics.deployment();
        var scene = new KitScene(kit, own, folder)) {
      scene.define(LONG_LEASE);
      var runs = Stream.generate(scene::start).limit(TASKS).toList();
      try (var worker = scene.worker(TASKS, "[{\"hold\": \"a\"}, {\"return\": 1}]")) {
        Condition.await("it holds all", () -> worker.count("holds") == TASKS);
        var metrics = new KitMetrics(own);
        Condition.await(
            "heartbeats that renew all",
            KitScene.PATIENCE,
            () -> {
              var calls = metrics.calls("WorkerService/HeartbeatTasks");
              var renewals = metrics.value("hapax_command_seconds_count", "HeartbeatTask");
              return calls >= 3 && renewals == TASKS * calls;
            });
        worker.open("a");
        for (var run : runs) {
          assertCompleted(scene.ended(run), "1");
        }
        assertThat(worker.count("lost")).isZero();
      }
    }
  }
}
