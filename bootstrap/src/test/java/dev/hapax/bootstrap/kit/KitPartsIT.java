package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.ClaimKind;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parts of code workflows of each kit: their attempts, and effects that are in doubt. */
class KitPartsIT {
  /** For workers that are killed. */
  private static final Duration LEASE = Duration.ofSeconds(2);

  /** Does not expire in a test. */
  private static final Duration UNTOUCHED_LEASE = Duration.ofMinutes(1);

  /** After one more a part without options fails for good. */
  private static final int MOST_FAILURES = 7;

  private static final String PAY_AT_MOST_ONCE =
      """
      [{"record": "pay", "at_most_once": true, %s
        "work": [{"effect": "pay"}, {"hold": "a"}, {"return": 7}]}, {"return": 1}]
      """;

  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  private KitScene scene(Kit kit, Duration lease) throws IOException {
    var scene = new KitScene(kit, deployment, folder);
    scene.define(lease);
    return scene;
  }

  /** A record of {@code pay} with so many attempts and short pauses. */
  private static String pay(int attempts, String work) {
    return "{\"record\": \"pay\", \"retry\": %s, \"work\": %s}".formatted(retry(attempts), work);
  }

  private static String retry(int attempts) {
    return String.format(
        Locale.ROOT, "{\"max_attempts\": %d, \"initial_ms\": 1, \"max_ms\": 1}", attempts);
  }

  private static void assertStatus(Run run, RunStatus status) {
    assertThat(run.getStatus()).as("%s", run).isEqualTo(status);
  }

  private static List<RunEvent> failures(KitScene scene, String run) {
    return scene.events(run).stream()
        .filter(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_PART_FAILED)
        .toList();
  }

  private static Duration between(RunEvent first, RunEvent last) {
    return Duration.between(at(first), at(last));
  }

  private static Instant at(RunEvent event) {
    return Instant.ofEpochSecond(event.getAt().getSeconds(), event.getAt().getNanos());
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("P12")
  @DisplayName(
      "given 20 records without options, of whose calls 15 % fail, then each of 5 runs completes"
          + " [workflows-P1]")
  void unreliable(Kit kit) throws IOException {
    unreliable(kit, 5);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // 100 runs
  @DisplayName(
      "given 20 records without options, of whose calls 15 % fail, then each of 100 runs completes"
          + " [workflows-P1]")
  void oftenUnreliable(Kit kit) throws IOException {
    unreliable(kit, 100);
  }

  /** The seed decides which calls fail; those that do not are counted as failed before. */
  private void unreliable(Kit kit, int runs) throws IOException {
    var random = new Random(2);
    var parts = IntStream.range(0, 20).mapToObj("part-%d"::formatted).toList();
    var calls = 0;
    try (var scene = scene(kit, UNTOUCHED_LEASE)) {
      var started = Stream.generate(scene::start).limit(runs).toList();
      for (var run : started) {
        var id = scene.step(run).getId();
        for (var part : parts) {
          var failures = 0;
          while (random.nextInt(100) < 15) {
            failures++;
          }
          calls += failures + 1;
          scene.countAsFailed(Collections.nCopies(MOST_FAILURES - failures, id + "/" + part));
        }
      }
      assertThat(calls).isGreaterThan(runs * parts.size());
      var work =
          parts.stream()
              .map(
                  part ->
                      """
                      {"record": "%s", "work": [{"effect": "call"}, {"fail_times": %s}]}
                      """
                          .formatted(part, MOST_FAILURES))
              .collect(Collectors.joining(", ", "[", "]"));
      try (var _ = scene.worker(runs, work)) {
        started.forEach(run -> assertStatus(scene.ended(run), RunStatus.RUN_STATUS_COMPLETED));
      }
      assertThat(scene.effects()).hasSize(calls);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a code step with 3 attempts, when it fails twice, waits, and fails twice again, then"
          + " it completes [workflows-P2]")
  void progress(Kit kit) throws IOException {
    try (var scene = new KitScene(kit, deployment, folder)) {
      scene.define(UNTOUCHED_LEASE, 3);
      try (var _ =
          scene.worker(
              """
              [{"fail_times": 2}, {"suspend": "wait", "ms": 50}, {"fail_times": 4}, {"return": 1}]
              """)) {
        assertStatus(scene.ended(scene.start()), RunStatus.RUN_STATUS_COMPLETED);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @Tag("P3")
  @DisplayName(
      "given a part with 8 attempts, when its worker is killed in the third, then the next worker"
          + " goes on with the third [workflows-P4]")
  void countSurvives(Kit kit) throws IOException {
    try (var scene = scene(kit, LEASE);
        var first =
            scene.worker(
                "["
                    + pay(8, "[{\"effect\": \"pay\"}, {\"fail_times\": 2}, {\"hold\": \"a\"}]")
                    + "]")) {
      var run = scene.start();
      first.event("holds", "latch", "a");
      first.process().kill9();
      try (var _ =
          scene.worker("[" + pay(8, "[{\"effect\": \"pay\"}, {\"fail\": \"retryable\"}]") + "]")) {
        var ended = scene.ended(run);
        assertStatus(ended, RunStatus.RUN_STATUS_FAILED);
        assertThat(ended.getFailure().getPart()).isEqualTo("pay");
      }
      assertThat(failures(scene, run).stream().map(each -> each.getPartFailed().getAttempt()))
          .containsExactlyElementsOf(IntStream.rangeClosed(1, 8).boxed().toList());
      assertThat(scene.effects()).hasSize(9);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("P3")
  @DisplayName(
      "given two parallel parts with 3 attempts each, then each is attempted three times"
          + " [workflows-P5]")
  void budgets(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var worker =
            scene.worker(
                """
                [{"map": "each", "keys": ["a", "b"], "settled": true, "work":
                   [{"record": "pay", "retry": %s,
                     "work": [{"effect": "pay"}, {"fail": "retryable"}]}]},
                 {"return": 1}]
                """
                    .formatted(retry(3)))) {
      var run = scene.start();
      assertStatus(scene.ended(run), RunStatus.RUN_STATUS_COMPLETED);
      var errors = worker.event("mapped").getFieldsOrThrow("value").getListValue();
      assertThat(errors.getValuesList())
          .hasSize(2)
          .allSatisfy(
              each -> assertThat(KitJson.text(each.getStructValue(), "error")).isEqualTo("FAILED"));
      var id = scene.step(run).getId();
      for (var key : List.of("a", "b")) {
        assertThat(scene.effects().stream().filter((id + "/each/" + key + "/pay")::equals))
            .hasSize(3);
      }
      assertThat(scene.effects()).hasSize(6);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a part without a limit of attempts that gives up after 2 s, then it fails after 2 s"
          + " [workflows-P6]")
  void givesUp(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var _ =
            scene.worker(
                """
                [{"record": "pay", "work": [{"effect": "pay"}, {"fail": "retryable"}], "retry":
                   {"max_attempts": -1, "initial_ms": 100, "max_ms": 200, "give_up_after_ms": 2000}}]
                """)) {
      var run = scene.start();
      assertStatus(scene.ended(run), RunStatus.RUN_STATUS_FAILED);
      var failures = failures(scene, run);
      // the last attempt begins within 2 s, and the next one would not
      assertThat(between(failures.getFirst(), failures.getLast()))
          .isBetween(Duration.ofMillis(1500), Duration.ofSeconds(4));
      assertThat(failures).hasSizeGreaterThan(8);
      assertThat(scene.effects()).hasSameSizeAs(failures);
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("P4")
  @DisplayName(
      "given a part that fails for good, when the code catches that, then the body ran once, and"
          + " the next execution catches it again [workflows-P7]")
  void caught(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var worker =
            scene.worker(
                """
                [{"caught": [{"record": "pay", "work": [{"effect": "pay"}, {"fail": "final"}]}]},
                 {"suspend": "wait", "ms": 1000}, {"return": 1}]
                """)) {
      assertStatus(scene.ended(scene.start()), RunStatus.RUN_STATUS_COMPLETED);
      assertThat(scene.effects()).hasSize(1);
      assertThat(worker.events("part_failed"))
          .hasSize(2)
          .allSatisfy(
              event -> {
                assertThat(KitJson.text(event, "part")).isEqualTo("pay");
                assertThat(KitJson.text(event, "code")).isEqualTo("FAILED");
                assertThat(event.getFieldsOrThrow("attempts").getNumberValue()).isEqualTo(1);
              });
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a part that fails for good, when nothing catches that, then the run is FAILED with its"
          + " code, and its history has the part, the attempt and the stack [workflows-P9]")
  void escapes(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var _ = scene.worker("[" + pay(8, "[{\"fail_times\": 9, \"fail\": \"final\"}]") + "]")) {
      var run = scene.start();
      var ended = scene.ended(run);
      assertStatus(ended, RunStatus.RUN_STATUS_FAILED);
      assertThat(ended.getFailure().getCode()).isEqualTo("FAILED");
      assertThat(ended.getFailure().getPart()).isEqualTo("pay");
      assertThat(failures(scene, run))
          .singleElement()
          .satisfies(
              event -> {
                var failed = event.getPartFailed();
                assertThat(failed.getName()).isEqualTo("pay");
                assertThat(failed.getAttempt()).isEqualTo(1);
                assertThat(failed.getFailure().getStack()).isNotEmpty();
              });
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("nightly") // waits for 6 s
  @DisplayName(
      "given a part that is to be retried after 6 s, then it is not retried before, and its worker"
          + " does another run meanwhile [workflows-P8]")
  void retryAfter(Kit kit) throws IOException {
    try (var scene = scene(kit, UNTOUCHED_LEASE);
        var _ =
            scene.worker(
                """
                [{"record": "pay", "work": [{"fail_times": 1, "retry_after_ms": 6000}, {"return": 7}]},
                 {"return": 1}]
                """)) {
      var runs = List.of(scene.start(), scene.start());
      for (var run : runs) {
        assertStatus(scene.ended(run), RunStatus.RUN_STATUS_COMPLETED);
        var recorded =
            scene.events(run).stream().filter(RunEvent::hasStepRecorded).findFirst().orElseThrow();
        assertThat(between(failures(scene, run).getFirst(), recorded))
            .isBetween(Duration.ofSeconds(6), Duration.ofSeconds(15));
      }
      var first = failures(scene, runs.getFirst()).getFirst();
      var other = failures(scene, runs.getLast()).getFirst();
      assertThat(between(first, other).abs()).isLessThan(Duration.ofSeconds(6));
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @Tag("P5")
  @DisplayName(
      "given a part that runs at most once, when its worker is killed in the body, then the effect"
          + " happened once, and the run is FAILED until an operator settles it [workflows-P11]")
  void doubt(Kit kit) throws IOException {
    var work = PAY_AT_MOST_ONCE.formatted("");
    try (var scene = scene(kit, LEASE);
        var first = scene.worker(work)) {
      var run = scene.start();
      first.event("holds", "latch", "a");
      first.process().kill9();
      try (var _ = scene.worker(work)) {
        var ended = scene.ended(run);
        assertStatus(ended, RunStatus.RUN_STATUS_FAILED);
        assertThat(ended.getFailure().getCode()).isEqualTo("UNKNOWN_EFFECT");
        assertThat(ended.getFailure().getPart()).isEqualTo("pay");
      }
      assertThat(scene.effects()).hasSize(1);
      var request =
          ListClaimsRequest.newBuilder()
              .setWorkspace(scene.workspace())
              .addKinds(ClaimKind.CLAIM_KIND_STEP_IN_DOUBT)
              .build();
      var claims = scene.client().call(request, ListClaimsResponse.getDefaultInstance());
      assertThat(claims.getClaimsList())
          .singleElement()
          .satisfies(claim -> assertThat(claim.getRunId()).isEqualTo(run));
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @Tag("fault") // kills
  @Tag("P6")
  @DisplayName(
      "given a part in doubt, when verify finds its effect, then the body ran once, and the found"
          + " value is its output; when verify finds none, then it runs again [workflows-P13]")
  void verifies(Kit kit) throws IOException {
    var found = "\"verify\": [{\"effect\": \"verify\"}, {\"return\": 8}],";
    var none = "\"verify\": [{\"not_done\": true}],";
    try (var scene = scene(kit, LEASE)) {
      var run = killed(scene, PAY_AT_MOST_ONCE.formatted(found));
      try (var second = scene.worker(PAY_AT_MOST_ONCE.formatted(found))) {
        assertStatus(scene.ended(run), RunStatus.RUN_STATUS_COMPLETED);
        var value = second.event("recorded", "name", "pay").getFieldsOrThrow("value");
        assertThat(value.getNumberValue()).isEqualTo(8);
      }
      assertThat(scene.ledger().stream().map(List::getFirst)).containsExactly("pay", "verify");
      var id = scene.step(run).getId() + "/pay";
      assertThat(scene.effects()).containsOnly(id);

      var other = killed(scene, PAY_AT_MOST_ONCE.formatted(none));
      try (var second = scene.worker(PAY_AT_MOST_ONCE.formatted(none))) {
        second.event("holds", "latch", "a");
        second.open("a");
        assertStatus(scene.ended(other), RunStatus.RUN_STATUS_COMPLETED);
      }
      var repeated = scene.step(other).getId() + "/pay";
      assertThat(scene.effects().stream().filter(repeated::equals)).hasSize(2);
    }
  }

  /** A run whose worker is killed in the body of its part. */
  private static String killed(KitScene scene, String work) {
    try (var worker = scene.worker(work)) {
      var run = scene.start();
      worker.event("holds", "latch", "a");
      worker.process().kill9();
      return run;
    }
  }
}
