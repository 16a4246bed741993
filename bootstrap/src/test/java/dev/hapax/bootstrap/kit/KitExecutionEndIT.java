package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.acceptance.Deployment;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers of each kit that end while a body of {@code record} runs on another thread. */
@Tag("fault") // waits for renewals
@Tag("long")
class KitExecutionEndIT {
  private static final Duration LEASE = Duration.ofSeconds(3);

  /**
   * The rest of a work that begins with a slow record beside it, and ends when the test says so.
   */
  private static final String BESIDE_SLOW =
      """
      [{"beside": [{"record": "slow", "work": [{"effect": "slow"}, {"hold": "slow"}, {"return": 7}]},
                   {"record": "late", "work": [{"effect": "late"}, {"return": 8}]}]},
       {"hold": "go"}, %s]
      """;

  private final Deployment deployment = Deployment.shared();
  @TempDir private Path folder = Path.of("");

  /** How a handler ends, what is then sent, and the end of the run. */
  enum End {
    // longer than a busy machine takes to record it, or the handler does not wait at all
    WAITS(
        "{\"suspend\": \"wait\", \"ms\": 3000}, {\"return\": 1}",
        RunEventType.RUN_EVENT_TYPE_STEP_SUSPENDED,
        RunStatus.RUN_STATUS_COMPLETED),
    FAILS(
        "{\"fail\": \"retryable\"}",
        RunEventType.RUN_EVENT_TYPE_RETRY_SCHEDULED,
        RunStatus.RUN_STATUS_FAILED),
    RETURNS(
        "{\"return\": 1}",
        RunEventType.RUN_EVENT_TYPE_STEP_COMPLETED,
        RunStatus.RUN_STATUS_COMPLETED);

    private final String parts;
    private final RunEventType event;
    private final RunStatus status;

    End(String parts, RunEventType event, RunStatus status) {
      this.parts = parts;
      this.event = event;
      this.status = status;
    }
  }

  static Stream<Arguments> ends() {
    return Stream.of(Kit.values())
        .flatMap(kit -> Stream.of(End.values()).map(end -> Arguments.of(kit, end)));
  }

  private KitScene scene(Kit kit) throws IOException {
    var scene = new KitScene(kit, deployment, folder);
    scene.define(LEASE);
    return scene;
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("ends")
  @DisplayName(
      "given a record whose body runs beside the handler, when the handler waits, fails or returns,"
          + " then the body runs once in the life of the run, is recorded before that end, and no"
          + " other body begins in this execution [workflows-P16]")
  void once(Kit kit, End end) throws IOException {
    try (var scene = scene(kit);
        var worker = scene.worker(BESIDE_SLOW.formatted(end.parts))) {
      var run = scene.start();
      worker.event("holds", "latch", "slow");
      worker.open("go");
      worker.event("ends");
      var until = scene.step(run).getLeaseUntil().getSeconds();
      Condition.await(
          "the step is renewed after the end of its handler, or not held",
          () -> !isHeld(scene, run) || scene.step(run).getLeaseUntil().getSeconds() > until);
      assertThat(isHeld(scene, run)).isTrue();
      worker.open("slow");
      worker.event("beside_failed");

      assertThat(scene.ended(run).getStatus()).isEqualTo(end.status);
      var slow = lines(scene, "slow");
      assertThat(slow).hasSize(1);
      assertThat(lines(scene, "late"))
          .noneMatch(line -> line.get(1).equals(slow.getFirst().get(1)));
      var recorded = first(scene, run, event -> event.getStepRecorded().getName().equals("slow"));
      assertThat(recorded).isLessThan(first(scene, run, event -> event.getType() == end.event));
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource
  @DisplayName(
      "given a handler that has ended beside a body, when the claim is lost, then the worker waits"
          + " for the body no longer, and does another task")
  void lost(Kit kit) throws IOException {
    try (var scene = scene(kit);
        var worker = scene.worker(BESIDE_SLOW.formatted("{\"return\": 1}"))) {
      var run = scene.start();
      worker.event("holds", "latch", "slow");
      worker.open("go");
      worker.event("ends");
      scene.client().runs().cancel(run, "test");
      worker.event("lost");
      var other = scene.start();
      worker.event("begins", "id", scene.step(other).getId());
      worker.open("slow");
      assertThat(scene.ended(other).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
      assertThat(scene.ended(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_CANCELLED);
    }
  }

  private static boolean isHeld(KitScene scene, String run) {
    return scene.step(run).hasLeaseUntil();
  }

  private static List<List<String>> lines(KitScene scene, String effect) {
    return scene.ledger().stream().filter(line -> line.getFirst().equals(effect)).toList();
  }

  /** The version of the first such event. */
  private static long first(KitScene scene, String run, Predicate<RunEvent> wanted) {
    var request =
        ListRunEventsRequest.newBuilder().setWorkspace(scene.workspace()).setRunId(run).build();
    return scene
        .client()
        .call(request, ListRunEventsResponse.getDefaultInstance())
        .getEventsList()
        .stream()
        .filter(wanted)
        .findFirst()
        .orElseThrow()
        .getVersion();
  }
}
