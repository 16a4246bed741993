package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Timestamps;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hooks of each kit. */
@Tag("long")
class KitHookIT {
  private static final int TRIGGERS = 20;
  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private KitScene scene(Kit kit) throws IOException {
    var scene = new KitScene(kit, deployment, folder);
    scene.define(Duration.ofSeconds(30));
    return scene;
  }

  private static String start(String key, String hook) {
    return """
        "definition": "case", "idempotency_key": "%s", "signal": {"type": "trigger", "payload": "%s"},
        "hook": {"token": "order/4711", %s}
        """
        .formatted(key, key, hook);
  }

  private static Struct started(KitProgram program, String key, String hook) {
    return program.ask("start", start(key, hook)).getStructValue();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given triggers of two programs at once, then one run starts, and all get it")
  void race(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var first = scene.program();
        var second = scene.program()) {
      var programs = List.of(first, second);
      var sent = new ArrayList<Integer>();
      for (var i = 0; i < TRIGGERS; i++) {
        sent.add(
            programs
                .get(i % 2)
                .send("start", start("k-" + i, "\"on_conflict\": \"USE_EXISTING\"")));
      }
      var answers = new ArrayList<Struct>();
      for (var i = 0; i < TRIGGERS; i++) {
        answers.add(programs.get(i % 2).value(sent.get(i)).getStructValue());
      }
      assertThat(answers)
          .extracting(answer -> KitJson.text(answer, "disposition"))
          .containsOnlyOnce("CREATED")
          .containsOnly("CREATED", "USED_EXISTING");
      var owner = first.text("hook_owner", "\"token\": \"order/4711\"");
      assertThat(answers).extracting(answer -> KitJson.text(answer, "run_id")).containsOnly(owner);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a token with an owner, then each policy does what it says")
  void policies(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = scene.program()) {
      var owner = KitJson.text(started(program, "k-1", "\"on_conflict\": \"REJECT\""), "run_id");

      var rejected = started(program, "k-2", "\"on_conflict\": \"REJECT\"");
      assertThat(KitJson.text(rejected, "disposition")).isEqualTo("REJECTED");
      assertThat(KitJson.text(rejected, "run_id")).isEmpty();
      assertThat(KitJson.text(rejected, "owner")).isEqualTo(owner);

      var used = started(program, "k-3", "\"on_conflict\": \"USE_EXISTING\"");
      assertThat(KitJson.text(used, "disposition")).isEqualTo("USED_EXISTING");
      assertThat(KitJson.text(used, "run_id")).isEqualTo(owner);

      var signaled = started(program, "k-4", "\"on_conflict\": \"SIGNAL_EXISTING\"");
      assertThat(KitJson.text(signaled, "disposition")).isEqualTo("SIGNALED");
      assertThat(KitJson.text(signaled, "run_id")).isEqualTo(owner);

      var other =
          started(
              program,
              "k-5",
              "\"on_conflict\": \"SUPERSEDE\", \"expected_owner\": \"%s\""
                  .formatted(owner.replaceFirst(".$", owner.endsWith("0") ? "1" : "0")));
      assertThat(KitJson.text(other, "disposition")).isEqualTo("REJECTED");

      var taken = started(program, "k-6", "\"on_conflict\": \"SUPERSEDE\"");
      assertThat(KitJson.text(taken, "disposition")).isEqualTo("SUPERSEDED");
      var next = KitJson.text(taken, "run_id");
      assertThat(next).isNotEqualTo(owner).startsWith("run_");
      assertThat(scene.client().runs().get(owner).status())
          .isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
      assertThat(program.text("hook_owner", "\"token\": \"order/4711\"")).isEqualTo(next);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given starts that queue, then they run one by one in their order, and a full line holds")
  void queue(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = scene.program();
        var worker = scene.worker(3, "[{\"hold\": \"turn\"}, {\"return\": \"done\"}]")) {
      var limit = "\"on_conflict\": \"QUEUE\", \"queue_limit\": ";
      var owner = started(program, "k-1", "\"on_conflict\": \"QUEUE\"");
      assertThat(KitJson.text(owner, "disposition")).isEqualTo("CREATED");
      var _ = worker.event("holds", "latch", "turn");

      var replaced = started(program, "k-2", limit + "1");
      assertThat(KitJson.text(replaced, "disposition")).isEqualTo("QUEUED");
      assertThat(KitJson.text(started(program, "k-3", limit + "1"), "disposition"))
          .isEqualTo("REJECTED");
      var first = started(program, "k-4", limit + "1, \"queue_full\": \"SUPERSEDE\"");
      assertThat(KitJson.text(first, "disposition")).isEqualTo("QUEUED");
      assertThat(first.getFieldsOrThrow("superseded").getListValue().getValuesList())
          .containsExactly(replaced.getFieldsOrThrow("run_id"));
      var second = started(program, "k-5", limit + "2");
      assertThat(KitJson.text(second, "disposition")).isEqualTo("QUEUED");
      assertThat(second.getFieldsOrThrow("runs_ahead").getNumberValue()).isEqualTo(1);
      assertThat(program.text("hook_owner", "\"token\": \"order/4711\""))
          .isEqualTo(KitJson.text(owner, "run_id"));

      worker.open("turn");
      var runs =
          Stream.of(owner, first, second)
              .map(each -> scene.ended(KitJson.text(each, "run_id")))
              .toList();
      assertThat(runs).extracting(Run::getStatus).containsOnly(RunStatus.RUN_STATUS_COMPLETED);
      for (var i = 1; i < runs.size(); i++) {
        assertThat(Timestamps.compare(runs.get(i).getStartedAt(), runs.get(i - 1).getEndedAt()))
            .as("%s", runs)
            .isNotNegative();
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a signal to a token, when it is sent again, then the run receives it once")
  void signals(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var program = scene.program();
        var worker =
            scene.worker(
                """
                [{"await_signal": "paid"}, {"await_signal": "trigger"}, {"return": "both"}]
                """)) {
      var run = KitJson.text(started(program, "k-1", "\"on_conflict\": \"REJECT\""), "run_id");
      var signal =
          "\"token\": \"order/4711\", \"type\": \"paid\", \"payload\": 30, \"signal_id\": \"s-1\"";
      assertThat(program.text("signal_hook", signal)).isIn("BUFFERED", "DELIVERED");
      assertThat(KitJson.text(worker.event("signal", "name", "paid"), "value")).isEqualTo("30");
      assertThat(KitJson.text(worker.event("signal", "name", "trigger"), "value")).isEqualTo("k-1");
      var result = "\"run_id\": \"%s\", \"at_most_ms\": 30000".formatted(run);
      assertThat(program.text("result", result)).isEqualTo("both");
      var late =
          program.send(
              "signal_run",
              "\"run_id\": \"%s\", \"type\": \"paid\", \"signal_id\": \"s-1\"".formatted(run));
      assertThat(program.value(late).getStringValue()).isEqualTo("DUPLICATE");
      assertThat(
              program.kind("signal_run", "\"run_id\": \"%s\", \"type\": \"paid\"".formatted(run)))
          .isEqualTo("Refused");
    }
  }
}
