package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers of each kit that are handed one claim again. */
@Tag("long")
class KitRedeliveryIT {
  @TempDir private Path folder = Path.of("");

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a claim that comes twice in an answer and again after its end, then its handler runs"
          + " once [kill-loops-1]")
  void once(Kit kit) throws Exception {
    try (var server = RepeatingServer.start();
        var scene = new KitScene(kit, server.target(), folder, Map.of());
        var worker = scene.worker(2, "[{\"return\": 1}]")) {
      Condition.await(
          "the other claim is completed", () -> server.completed().contains(RepeatingServer.OTHER));
      assertThat(worker.count("begins")).isEqualTo(2);
      assertThat(server.completed())
          .containsExactly(RepeatingServer.REPEATED, RepeatingServer.OTHER);
    }
  }
}
