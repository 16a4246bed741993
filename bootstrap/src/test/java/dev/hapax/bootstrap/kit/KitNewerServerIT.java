package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kit at a server that answers what the kit does not know yet. */
@Tag("nightly")
class KitNewerServerIT {
  @TempDir private Path folder = Path.of("");

  private KitScene scene(Kit kit, NewerServer server) throws IOException {
    return new KitScene(kit, server.target(), folder, Map.of());
  }

  private static String once(String requestId, String work) {
    return "\"operation\": \"pay\", \"request_id\": \"%s\", \"work\": [%s]"
        .formatted(requestId, work);
  }

  private static String act(String entityId, String work) {
    return "\"lifecycle\": \"invoice\", \"entity_id\": \"%s\", \"step\": \"pay\", \"requester\": \"shop\", \"work\": [%s]"
        .formatted(entityId, work);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given an operation whose begin or end has an outcome that the client does not know, then an"
          + " error says so: it is no success, and the call is not repeated")
  void operation(Kit kit) throws IOException {
    try (var server = NewerServer.start();
        var scene = scene(kit, server);
        var program = scene.program()) {
      var returns = "{\"return\": 1}";
      var begin = program.answer(program.send("once", once(NewerServer.BEGIN, returns)));
      var error = begin.getFieldsOrThrow("error").getStructValue();
      assertThat(KitJson.text(error, "kind")).isEqualTo("UnknownAnswer");
      assertThat(KitJson.text(error, "message")).contains("BeginOperation", "field 99", "upgrade");
      assertThat(program.kind("once", once(NewerServer.END, returns))).isEqualTo("Unrecorded");
      assertThat(program.kind("once", once(NewerServer.END + 2, "{\"fail\": \"final\"}")))
          .isEqualTo("FinalFailure");
      assertThat(program.kind("once", once(NewerServer.LOST, returns))).isEqualTo("ClaimLost");
      assertThat(program.kind("once", once(NewerServer.CONTENT, returns)))
          .isEqualTo(kit == Kit.JAVA ? "Unreadable" : "UnknownAnswer");
      assertThat(program.count("begins")).isEqualTo(3);
      assertThat(server.count("Begin begin")).isEqualTo(1);
      assertThat(server.count("Complete end")).isEqualTo(1);
      assertThat(server.count("Fail end2")).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given an action whose begin or end has an outcome, or whose loss has a reason that the"
          + " client does not know, then an error says so")
  void action(Kit kit) throws IOException {
    try (var server = NewerServer.start();
        var scene = scene(kit, server);
        var program = scene.program()) {
      assertThat(program.kind("act", act(NewerServer.BEGIN, ""))).isEqualTo("UnknownAnswer");
      assertThat(program.kind("act", act(NewerServer.END, ""))).isEqualTo("Unrecorded");
      var lost = program.send("act", act(NewerServer.LOST, "{\"hold\": \"go\"}"));
      program.event("lost");
      program.open("go");
      assertThat(program.kind(lost)).isEqualTo("ClaimLost");
      assertThat(server.count("Begin begin")).isEqualTo(1);
      assertThat(server.count("Complete end")).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a run with a status that the client does not know, then it has not ended, and the"
          + " client asks again after a pause; an unknown disposition has a name")
  void run(Kit kit) throws IOException {
    try (var server = NewerServer.start();
        var scene = scene(kit, server);
        var program = scene.program()) {
      var started = program.ask("start", "\"definition\": \"case\"").getStructValue();
      assertThat(KitJson.text(started, "run_id")).isEqualTo("run_1");
      assertThat(KitJson.text(started, "disposition")).isNotEmpty();
      assertThat(program.kind("result", "\"run_id\": \"run_1\", \"at_most_ms\": 1500"))
          .isEqualTo("RunNotEnded");
      assertThat(server.count("AwaitRun ")).isBetween(2L, 5L);
      assertThat(program.text("signal_run", "\"run_id\": \"run_1\", \"type\": \"go\""))
          .isNotEmpty();
      assertThat(program.text("signal_hook", "\"token\": \"t\", \"type\": \"go\"")).isNotEmpty();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a hook whose outcome the client does not know, then the run does not count as its owner")
  void hook(Kit kit) throws IOException {
    try (var server = NewerServer.start();
        var scene = scene(kit, server);
        var program = scene.program()) {
      assertThat(program.kind("create_hook", "\"run_id\": \"run_1\", \"token\": \"t\""))
          .isEqualTo("UnknownAnswer");
      assertThat(server.count("CreateHook ")).isEqualTo(1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given renewals, records and ends of tasks with outcomes that the client does not know, then"
          + " nothing is repeated or taken for done, and the worker goes on")
  void worker(Kit kit) throws IOException {
    try (var server = NewerServer.start();
        var scene = scene(kit, server);
        var worker =
            scene.worker(
                2,
                """
                [{"record": "part", "work": [{"effect": "part"}, {"return": 1}]},
                 {"hold": "go"}, {"return": 2}]
                """)) {
      Condition.await("the other task is renewed twice", () -> server.count("HeartbeatTasks ") > 1);
      worker.open("go");
      Condition.await("the next task is done", () -> server.count("CompleteTask known") == 1);
      assertThat(server.count("RecordStep record")).isEqualTo(1);
      assertThat(server.count("FailTask record")).isEqualTo(1);
      assertThat(server.count("CompleteTask record")).isZero();
      assertThat(server.count("CompleteTask end")).isEqualTo(1);
      assertThat(scene.effects())
          .containsExactlyInAnyOrder("step_record/part", "step_end/part", "step_known/part");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given the end of a recovery with an outcome that the client does not know, then the janitor"
          + " goes on")
  void janitor(Kit kit) throws IOException {
    try (var server = NewerServer.start();
        var scene = scene(kit, server);
        var program = scene.program()) {
      assertThat(program.text("janitor", "\"module\": \"shop\"")).isEqualTo("started");
      Condition.await(
          "the next recovery is done", () -> server.count("CompleteRecovery known") == 1);
      assertThat(server.count("CompleteRecovery end")).isEqualTo(1);
    }
  }
}
