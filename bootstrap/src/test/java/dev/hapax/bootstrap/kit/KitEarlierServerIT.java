package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.ServerFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kit against a server of an earlier build, whose class path is a property. */
@Tag("nightly")
@EnabledIfSystemProperty(named = KitEarlierServerIT.PREVIOUS, matches = ".+")
class KitEarlierServerIT {
  static final String PREVIOUS = "hapax.previous";
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final String WORK =
      "[{\"record\": \"pay\", \"work\": [{\"effect\": \"pay\"}, {\"return\": 30}]}]";

  private static Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  @BeforeAll
  static void start() {
    deployment = Deployment.start("-cp", System.getProperty(PREVIOUS));
  }

  @AfterAll
  static void stop() {
    deployment.close();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a server of an earlier build, then a request is replayed, and a run completes, or the"
          + " worker says that the server lacks parts")
  void worksWith(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder);
        var program = scene.program()) {
      var charge =
          """
          "operation": "shop/Charge", "request_id": "r-1",
          "work": [{"effect": "charge"}, {"return": "charged"}]
          """;
      assertThat(program.text("once", charge)).isEqualTo("charged");
      assertThat(program.text("once", charge)).isEqualTo("charged");
      assertThat(scene.effects()).isEqualTo(List.of("r-1"));

      scene.define(LEASE);
      if (!features(scene).contains(ServerFeature.SERVER_FEATURE_PARTS)) {
        assertThat(refusal(kit, scene, program)).contains("lacks parts", "upgrade the server");
        return;
      }
      scene.worker(program, WORK);
      assertThat(scene.ended(scene.start()).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(scene.ledger().stream().map(List::getFirst)).containsExactly("charge", "pay");
    }
  }

  /** In Java the start of the worker throws; the kits start it in the background, and log. */
  private static String refusal(Kit kit, KitScene scene, KitProgram program) {
    if (kit == Kit.JAVA) {
      return String.valueOf(catchThrowable(() -> scene.worker(program, WORK)));
    }
    scene.worker(program, WORK);
    return program.process().awaitError(line -> line.contains("lacks parts"));
  }

  private static List<ServerFeature> features(KitScene scene) {
    return scene.client().serverInfo().getFeaturesList();
  }
}
