package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Timestamps;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Limits of each kit. */
class KitLimitIT {
  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private static String start(KitProgram program, String key, String tenant) {
    var run =
        """
        "definition": "answer", "idempotency_key": "%s", "input": {"tenant": "%s"}
        """
            .formatted(key, tenant);
    return KitJson.text(program.ask("start", run).getStructValue(), "run_id");
  }

  /** The numbers of each value: max_running, running, waiting. */
  private static Map<String, String> numbers(KitProgram program) {
    return program
        .ask("list_limits", "\"name\": \"openai\"")
        .getListValue()
        .getValuesList()
        .stream()
        .map(value -> value.getStructValue())
        .collect(
            Collectors.toMap(
                state -> KitJson.text(state, "key"),
                state ->
                    String.join(
                        " ",
                        KitJson.text(state, "max_running"),
                        KitJson.text(state, "running"),
                        KitJson.text(state, "waiting"))));
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a workflow with a limit that is set to 1, then its runs of one value go one by one")
  void limit(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder);
        var program = scene.program()) {
      var workflow =
          """
          "definition": "answer", "queue": "agents",
          "limits": [{"name": "openai", "input": "/tenant", "max_running": 5}],
          "work": [{"hold": "turn"}, {"return": "done"}]
          """;
      assertThat(program.text("workflow", workflow)).isEqualTo("started");
      var acme = "\"name\": \"openai\", \"key\": \"acme\"";
      // a call whose answer is lost is repeated, so only the second answer is certain
      var _ = program.ask("set_limit", acme + ", \"max_running\": 1");
      assertThat(program.ask("set_limit", acme + ", \"max_running\": 1").getBoolValue()).isFalse();

      var first = start(program, "k-1", "acme");
      var _ = program.event("holds", "id", scene.step(first).getId());
      var second = start(program, "k-2", "acme");
      var other = start(program, "k-3", "other");
      var _ = program.event("holds", "id", scene.step(other).getId());
      assertThat(numbers(program)).isEqualTo(Map.of("acme", "1 1 1", "other", "5 1 0"));

      program.open("turn");
      var runs = Stream.of(first, second, other).map(scene::ended).toList();
      assertThat(runs).extracting(Run::getStatus).containsOnly(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(Timestamps.compare(runs.get(1).getStartedAt(), runs.get(0).getEndedAt()))
          .as("%s", runs)
          .isNotNegative();

      var _ = program.ask("remove_limit", acme);
      assertThat(program.ask("remove_limit", acme).getBoolValue()).isFalse();
      assertThat(numbers(program)).isEqualTo(Map.of("acme", "5 0 0", "other", "5 0 0"));
    }
  }
}
