package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.Failure;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Code workflows of each kit whose code changes while runs wait, and the names of their parts. */
@Tag("long")
class KitCodeChangeIT {
  /** Does not expire in a test. */
  private static final Duration LEASE = Duration.ofMinutes(1);

  private static final String PAY = "{\"record\": \"pay\", \"work\": [{\"effect\": \"pay\"}]}";
  private static final String MAIL = "{\"record\": \"mail\", \"work\": [{\"effect\": \"mail\"}]}";
  private static final String CHARGE =
      "{\"record\": \"charge\", \"work\": [{\"effect\": \"charge\"}]}";
  private static final String WAIT = "{\"await_signal\": \"go\"}";

  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  /** A change of code that does not fit the records of a waiting run. */
  enum Change {
    RENAMED(List.of(CHARGE, WAIT)),
    INSERTED(List.of(CHARGE, PAY, WAIT));

    private final List<String> parts;

    Change(List<String> parts) {
      this.parts = parts;
    }
  }

  static Stream<Arguments> changes() {
    return Stream.of(Kit.values())
        .flatMap(kit -> Stream.of(Change.values()).map(change -> Arguments.of(kit, change)));
  }

  private KitScene scene(Kit kit) throws IOException {
    var scene = new KitScene(kit, deployment, folder);
    scene.define(LEASE);
    return scene;
  }

  private static String work(List<String> parts) {
    return "[" + String.join(", ", parts) + ", {\"return\": 1}]";
  }

  /** A run of these parts that waits; its worker has ended. */
  private static String waiting(KitScene scene, List<String> parts) {
    try (var worker = scene.worker(work(parts))) {
      var run = scene.start();
      Condition.await(
          "it waits",
          KitScene.PATIENCE,
          () -> scene.client().runs().get(run).status() == RunStatus.RUN_STATUS_WAITING);
      end(worker);
      return run;
    }
  }

  private static void end(KitProgram worker) {
    worker.process().terminate();
    assertThat(worker.process().awaitExit()).as("%s", worker.process().errors()).isZero();
  }

  private static void signal(KitScene scene, String run) {
    scene.client().runs().signal(run, "go", null);
  }

  private static List<Failure> releases(KitScene scene, String run) {
    return scene.events(run).stream()
        .filter(RunEvent::hasLeaseGivenBack)
        .map(event -> event.getLeaseGivenBack().getReason())
        .toList();
  }

  private static List<String> effects(KitScene scene) {
    return scene.ledger().stream().map(List::getFirst).toList();
  }

  private static void assertCompleted(KitScene scene, String run) {
    var ended = scene.ended(run);
    assertThat(ended.getStatus()).as("%s", ended).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("changes")
  @Tag("fault") // waits for a released step
  @Tag("long")
  @Tag("P11")
  @DisplayName(
      "given a run that has paid and waits, when a worker with a renamed or inserted part gets it,"
          + " then it releases the step and says why, and a worker with the former code completes"
          + " it [workflows-V1, workflows-V2]")
  void released(Kit kit, Change change) throws IOException {
    try (var scene = scene(kit)) {
      var run = waiting(scene, List.of(PAY, WAIT));
      try (var changed = scene.worker(work(change.parts))) {
        signal(scene, run);
        Condition.await("it is released", () -> !releases(scene, run).isEmpty());
        end(changed);
      }
      assertThat(releases(scene, run))
          .allSatisfy(
              reason -> {
                assertThat(reason.getCode()).isEqualTo("CODE_CHANGED");
                assertThat(reason.getMessage())
                    .isEqualTo("records `pay` is not asked for before `charge`");
              });
      try (var _ = scene.worker(work(List.of(PAY, WAIT)))) {
        assertCompleted(scene, run);
      }
      assertThat(effects(scene)).containsExactly("pay");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a part that is inserted behind patched, then a run that waits goes without it, and a"
          + " new run with it [workflows-V3]")
  void patched(Kit kit) throws IOException {
    var parts =
        List.of("{\"patched\": \"fraud-check\", \"work\": [%s]}".formatted(CHARGE), PAY, WAIT);
    try (var scene = scene(kit)) {
      var former = waiting(scene, List.of(PAY, WAIT));
      try (var worker = scene.worker(work(parts))) {
        signal(scene, former);
        assertCompleted(scene, former);
        assertThat(effects(scene)).containsExactly("pay");
        var run = scene.start();
        signal(scene, run);
        assertCompleted(scene, run);
        assertThat(effects(scene)).containsExactly("pay", "charge", "pay");
        assertThat(worker.events("patched"))
            .allSatisfy(
                event ->
                    assertThat(event.getFieldsOrThrow("value").getBoolValue())
                        .isEqualTo(!KitJson.text(event, "id").equals(scene.step(former).getId())))
            .hasSizeGreaterThan(1);
        assertThat(releases(scene, run)).isEmpty();
      }
      assertThat(releases(scene, former)).isEmpty();
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a part that is added at the end, or two recorded parts that change their order, then"
          + " a run that waits goes on [workflows-V4, workflows-V5]")
  void fits(Kit kit) throws IOException {
    try (var scene = scene(kit)) {
      var run = waiting(scene, List.of(PAY, MAIL, WAIT));
      try (var _ = scene.worker(work(List.of(MAIL, PAY, WAIT, CHARGE)))) {
        signal(scene, run);
        assertCompleted(scene, run);
      }
      assertThat(releases(scene, run)).isEmpty();
      assertThat(effects(scene)).containsExactly("pay", "mail", "charge");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("P11")
  @DisplayName(
      "given a worker that shall fail, when its code does not fit, then the run is FAILED; one that"
          + " shall warn goes on [workflows-V9]")
  void otherPolicies(Kit kit) throws IOException {
    try (var scene = scene(kit)) {
      var first = waiting(scene, List.of(PAY, WAIT));
      try (var worker = scene.worker("fail", work(Change.RENAMED.parts))) {
        signal(scene, first);
        var ended = scene.ended(first);
        assertThat(ended.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
        assertThat(ended.getFailure().getCode()).isEqualTo("STEP_CHANGED");
        assertThat(ended.getFailure().getMessage()).contains("`pay`", "`charge`");
        end(worker);
      }
      var second = waiting(scene, List.of(PAY, WAIT));
      try (var _ = scene.worker("warn", work(Change.RENAMED.parts))) {
        signal(scene, second);
        assertCompleted(scene, second);
      }
      assertThat(effects(scene)).containsExactly("pay", "pay", "charge");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given two parts of one name at the same time, then the run fails at once, and says so"
          + " [workflows-V7]")
  void ambiguous(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var worker =
            scene.worker(
                """
                [{"beside": [{"record": "pay", "work": [{"effect": "pay"}, {"hold": "a"}]}]},
                 {"hold": "go"}, {"record": "pay", "work": [{"effect": "pay"}]}]
                """)) {
      var run = scene.start();
      worker.event("holds", "latch", "a");
      worker.open("go");
      worker.event("ends");
      worker.open("a");
      var ended = scene.ended(run);
      assertThat(ended.getStatus()).isEqualTo(RunStatus.RUN_STATUS_FAILED);
      assertThat(ended.getFailure().getCode()).isEqualTo("STEP_NAME_AMBIGUOUS");
      assertThat(effects(scene)).containsExactly("pay");
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given repeated names in nested maps, when the run waits and goes on, then each part has an id"
          + " of its own and runs once [workflows-V11]")
  void repeats(Kit kit) throws IOException {
    var map =
        """
        {"map": "m", "keys": ["a", "b"], "work": [{"map": "n", "keys": ["x"], "work": [%s, %s]}]}
        """
            .formatted(PAY, PAY);
    try (var scene = scene(kit);
        var worker = scene.worker(work(List.of(map, map, PAY, PAY, WAIT)))) {
      var run = scene.start();
      Condition.await(
          "it waits",
          () -> scene.client().runs().get(run).status() == RunStatus.RUN_STATUS_WAITING);
      signal(scene, run);
      assertCompleted(scene, run);
      var id = scene.step(run).getId();
      assertThat(scene.effects())
          .containsExactlyInAnyOrderElementsOf(
              Stream.of("m/a/n/x/", "m/b/n/x/", "m#2/a/n/x/", "m#2/b/n/x/", "")
                  .flatMap(scope -> Stream.of(scope + "pay", scope + "pay#2"))
                  .map(name -> id + "/" + name)
                  .toList());
      assertThat(releases(scene, run)).isEmpty();
      assertThat(worker.count("mapped", "name", "n")).isEqualTo(8);
      assertThat(
              scene.events(run).stream()
                  .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_STEP_FAILED))
          .isEmpty();
    }
  }
}
