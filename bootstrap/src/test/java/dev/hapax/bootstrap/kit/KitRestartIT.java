package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Corrected starts of each kit. */
@Tag("long")
class KitRestartIT {
  private static final String RESTART = ", \"on_key_mismatch\": \"RESTART_FAILED\"";
  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private static String start(int input, String more) {
    return "\"definition\": \"case\", \"idempotency_key\": \"monitor/36\", \"input\": "
        + input
        + more;
  }

  private static Struct started(KitProgram program, int input) {
    return program.ask("start", start(input, RESTART)).getStructValue();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a failed run, when its start is corrected, then a new run has its key, and the"
          + " correction can be sent again [turns-R1]")
  void corrected(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(Duration.ofSeconds(30));
      try (var program = scene.program();
          var _ = scene.worker("[{\"fail\": \"final\"}]")) {
        var first = KitJson.text(started(program, 1), "run_id");
        var result = "\"run_id\": \"%s\", \"at_most_ms\": 30000".formatted(first);
        assertThat(program.kind("result", result)).isEqualTo("RunFailed");
        assertThat(program.kind("start", start(2, ""))).isEqualTo("Refused");

        var next = started(program, 2);

        assertThat(KitJson.text(next, "disposition")).isEqualTo("CREATED");
        var run = KitJson.text(next, "run_id");
        assertThat(run).isNotEqualTo(first);
        assertThat(scene.client().runs().get(first).supersededBy()).isEqualTo(run);
        var again = started(program, 2);
        assertThat(KitJson.text(again, "disposition")).isEqualTo("EXISTING");
        assertThat(KitJson.text(again, "run_id")).isEqualTo(run);
      }
    }
  }
}
