package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.client.HapaxException;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** API keys of each kit, at a server on this machine without TLS. */
@Tag("fault") // waits for a worker that was rejected
class KitAccessIT {
  private static final Deployment DEPLOYMENT = Deployment.configured("--authentication");
  private static final String UNKNOWN = ApiKey.create(new SecureRandom()::nextInt).text();
  private static final String START = "\"definition\": \"case\"";
  private static String admin = "";
  private static String viewer = "";

  @TempDir private Path folder = Path.of("");

  @BeforeAll
  static void createKeys() {
    admin = key("admin");
    viewer = key("viewer");
  }

  @AfterAll
  static void stop() {
    DEPLOYMENT.close();
  }

  private static String key(String role) {
    try (var create =
        HapaxProcess.start(
            "key",
            "create",
            "--principal=kit-" + role,
            "--role=" + role,
            "--workspace=*",
            "--database-url=" + DEPLOYMENT.database().url())) {
      assertThat(create.awaitExit()).as("%s", create.errors()).isZero();
      return create.output().getFirst();
    }
  }

  private static Map<String, String> access(String variable, String value) {
    var access = new HashMap<>(Map.of("HAPAX_TLS_CA", "", "HAPAX_API_KEY", ""));
    access.put(variable, value);
    return access;
  }

  private KitScene scene(Kit kit) throws IOException {
    var scene = new KitScene(kit, DEPLOYMENT.target(), folder, access("HAPAX_API_KEY", admin));
    // servers learn of new keys within 3 s
    Condition.await("the key is accepted", () -> isDefined(scene));
    return scene;
  }

  private static boolean isDefined(KitScene scene) {
    try {
      scene.define(Duration.ofSeconds(1));
      return true;
    } catch (HapaxException.Unauthenticated _) {
      return false;
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given an unknown key, or one without a role, then calls fail with that kind")
  void refused(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var stranger = scene.program(access("HAPAX_API_KEY", UNKNOWN));
        var reader = scene.program(access("HAPAX_API_KEY", viewer))) {
      assertThat(stranger.kind("start", START)).isEqualTo("Unauthenticated");
      assertThat(reader.kind("start", START)).isEqualTo("PermissionDenied");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a worker whose key is refused, when its file has another key, then it works")
  void replaced(Kit kit) throws IOException {
    var file = Files.writeString(folder.resolve("hapax.key"), UNKNOWN + "\n");
    try (var scene = scene(kit);
        var worker = scene.program(access("HAPAX_API_KEY_FILE", file.toString()))) {
      scene.worker(worker, "[{\"return\": 1}]");
      assertThat(worker.kind("start", START)).isEqualTo("Unauthenticated");
      var next = Files.writeString(folder.resolve("next.key"), admin + "\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      assertThat(scene.ended(scene.start()).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
  }
}
