package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.bootstrap.token.FakeIssuer;
import dev.hapax.client.HapaxException;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** API keys and tokens of each kit, at a server on this machine without TLS. */
@Tag("nightly") // waits for a worker that was rejected
class KitAccessIT {
  private static final FakeIssuer ISSUER = issuer();
  private static final Deployment DEPLOYMENT =
      Deployment.configured("--authentication", "--token-issuers=" + issuers());
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

  private static FakeIssuer issuer() {
    try {
      return new FakeIssuer();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Path issuers() {
    try {
      var folder = Files.createTempDirectory("issuers");
      folder.toFile().deleteOnExit();
      var file = ISSUER.configure(folder, "ops -> role=admin workspace=*");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A token that expires so long from now. */
  private static String token(Duration left) throws JOSEException {
    return ISSUER.sign(ISSUER.claims(Instant.now().plus(left)));
  }

  @AfterAll
  static void stop() {
    DEPLOYMENT.close();
    ISSUER.close();
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
    assertReplaced(kit, "HAPAX_API_KEY_FILE", UNKNOWN, admin);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName("given a worker whose token expired, when its file has another one, then it works")
  void renewed(Kit kit) throws Exception {
    assertReplaced(
        kit, "HAPAX_JWT_FILE", token(Duration.ofMinutes(-2)), token(Duration.ofMinutes(10)));
  }

  private void assertReplaced(Kit kit, String variable, String refused, String accepted)
      throws IOException {
    var file = Files.writeString(folder.resolve("hapax.key"), refused + "\n");
    try (var scene = scene(kit);
        var worker = scene.program(access(variable, file.toString()))) {
      scene.worker(worker, "[{\"return\": 1}]");
      assertThat(worker.kind("start", START)).isEqualTo("Unauthenticated");
      var next = Files.writeString(folder.resolve("next.key"), accepted + "\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      assertThat(scene.ended(scene.start()).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    }
  }

  /** The Java client decides for each connection, see its tests. */
  @ParameterizedTest(name = "{0}")
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JAVA")
  @DisplayName("given a token and another machine without TLS, then the kit does not connect")
  void encrypted(Kit kit) throws Exception {
    var token = token(Duration.ofMinutes(10));
    var file = Files.writeString(folder.resolve("jwt"), token);
    try (var scene = scene(kit);
        var program = scene.program("192.0.2.1:7420", access("HAPAX_JWT_FILE", file.toString()))) {
      assertThat(program.process().awaitExit()).isNotZero();
      assertThat(String.join("\n", program.process().errors()))
          .contains("the API key or JWT is not sent to 192.0.2.1:7420 without TLS")
          .doesNotContain(token);
    }
  }

  private static void register(KitScene scene, String queue) {
    scene
        .client()
        .definitions()
        .register(
            """
            {"name": "trial", "version": "1",
             "steps": [{"name": "main", "code": {"queue": "%s", "lease": "10s"}}]}
            """
                .formatted(queue));
  }

  private static String registering(KitScene scene, String key) {
    try (var program =
        PythonKit.start("tests/registers.py", scene.environment(access("HAPAX_API_KEY", key)))) {
      assertThat(program.awaitExit()).as("%s", program.errors()).isZero();
      return String.join("\n", program.output());
    }
  }

  @Test
  @DisplayName(
      "given a key that may not define, then a worker starts if its workflow"
          + " is registered, and otherwise says that it is missing [workflows-U11]")
  void registers() throws IOException {
    try (var scene = scene(Kit.PYTHON)) {
      var key = key("worker");
      Condition.await(
          "the key is accepted", () -> registering(scene, key).contains("is not registered"));
      register(scene, "trials");
      assertThat(registering(scene, key)).isEqualTo("works done");
    }
  }

  @Test
  @DisplayName(
      "given a key that may not define, when the registered workflow is another one, then the worker"
          + " says what differs [workflows-U8, workflows-U11]")
  void differs() throws IOException {
    try (var scene = scene(Kit.PYTHON)) {
      register(scene, "others");
      var key = key("worker");
      Condition.await(
          "the difference is named",
          () ->
              registering(scene, key)
                  .contains("steps[0].code.queue is \"others\" (this: \"trials\")"));
    }
  }
}
