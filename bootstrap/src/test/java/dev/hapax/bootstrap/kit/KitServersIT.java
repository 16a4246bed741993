package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.TwoServers;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kit as a client of two servers. */
@Tag("long")
class KitServersIT {
  private static final int CALLS = 300;
  private static final TwoServers SERVERS = TwoServers.start();

  @TempDir private Path folder = Path.of("");

  @AfterAll
  static void stop() {
    SERVERS.close();
  }

  private static String start(KitProgram program) {
    var run = program.ask("start", "\"definition\": \"case\"").getStructValue();
    return KitJson.text(run, "run_id");
  }

  private static List<String> start(KitProgram program, int calls) {
    return IntStream.range(0, calls).mapToObj(_ -> start(program)).toList();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a list of two servers, then each commits its share of the calls, also after both have"
          + " restarted")
  void shared(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, SERVERS.deployment(), folder)) {
      scene.define(Duration.ofSeconds(30));
      var program = scene.program(SERVERS.list(), Map.of());
      SERVERS.awaitConnected(() -> start(program));
      SERVERS.assertShared(() -> start(program, CALLS));

      SERVERS.restart();

      SERVERS.awaitConnected(() -> start(program));
      SERVERS.assertShared(() -> start(program, CALLS));
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a worker of two servers, when both restart, then each run is completed in one attempt")
  void worker(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, SERVERS.deployment(), folder)) {
      scene.define(Duration.ofSeconds(9));
      var program = scene.program(SERVERS.list(), Map.of());
      scene.worker(program, "[{\"effect\": \"done\"}, {\"hold\": \"end\"}, {\"return\": 1}]");
      var held = start(program);
      var _ = program.event("holds", "id", scene.step(held).getId());

      // the lease is renewed at the server that is left
      SERVERS.restart();

      program.open("end");
      var runs = new HashSet<>(Set.of(held));
      runs.addAll(start(program, 10));
      var ended = runs.stream().map(scene::ended).toList();
      assertThat(ended).extracting(Run::getStatus).containsOnly(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(scene.effects()).hasSize(runs.size());
    }
  }
}
