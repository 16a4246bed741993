package dev.hapax.domain.limit;

import static dev.hapax.domain.limit.LimitedRuns.limit;
import static dev.hapax.domain.limit.LimitedRuns.limited;
import static dev.hapax.domain.limit.LimitedRuns.ofDefinitions;
import static dev.hapax.domain.limit.LimitedRuns.paced;
import static dev.hapax.domain.limit.LimitedRuns.start;
import static dev.hapax.domain.limit.LimitedRuns.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.definition.Steps;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.run.ControlRun.Verb;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartOutcome;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of a limited definition. */
@Tag("turns-L8")
class DefinitionLimitTest {
  private static final Definition ONE =
      limited(List.of(limit("api", 1)), Steps.task("first"), Steps.task("second"));

  private static final LimitKey ACME = ofDefinitions("api", "acme");

  private final LimitedRuns runs = new LimitedRuns();

  private RunId starts() {
    return runs.starts(ONE, "acme");
  }

  @Test
  @DisplayName("given a full limit, then a start is queued behind all that wait, and owns nothing")
  void queued() {
    var first = starts();
    assertThat(runs.run(first).version()).as("without an event").isEqualTo(1);
    assertThat(runs.isInQueue(first)).isTrue();
    runs.window(2);
    for (var ahead : IntStream.range(0, 5).toArray()) {
      var outcome = runs.does(start(runs.startRun(ONE, "acme", "{}"))).outcome();
      assertThat(outcome)
          .isInstanceOfSatisfying(
              StartOutcome.Queued.class,
              queued -> {
                assertThat(queued.ahead()).isEqualTo(ahead);
                assertThat(queued.run().status()).isEqualTo(RunStatus.PENDING);
                assertThat(queued.run().due()).isEmpty();
              });
    }
    assertThat(runs.isInQueue(runs.starts(ONE, "other"))).isTrue();
    assertThat(runs.admitted(ACME)).containsExactly(first);
  }

  @Test
  @DisplayName("given a run between its steps, asleep or paused, then it counts until it ends")
  void counts() {
    var first = starts();
    var next = starts();
    runs.takes(first);
    runs.does(runs.complete(first));
    runs.takes(first);
    runs.does(runs.suspend(first, Duration.ofDays(1)));
    runs.settles();
    assertThat(runs.isWaiting(next)).isTrue();
    runs.does(runs.control(first, Verb.PAUSE));
    runs.settles();
    assertThat(runs.isWaiting(next)).isTrue();
    runs.does(runs.control(first, Verb.CANCEL));
    runs.settles();
    assertThat(runs.admitted(ACME)).containsExactly(next);
    assertThat(runs.isInQueue(next)).isTrue();
    assertThat(runs.lastChange(next)).isInstanceOf(RunChange.Admitted.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("given the end of a run, or of one that waits, then others move up")
  void moveUp(boolean isFailure) {
    var first = starts();
    var second = starts();
    var third = starts();
    runs.does(runs.control(second, Verb.CANCEL));
    runs.settles();
    runs.takes(first);
    if (isFailure) {
      runs.does(runs.fail(first, true));
    } else {
      runs.does(runs.complete(first));
      runs.takes(first);
      runs.does(runs.complete(first));
    }
    runs.settles();
    assertThat(runs.admitted(ACME)).containsExactly(third);
    assertThat(runs.waiting(ACME)).isEmpty();
  }

  @Test
  @DisplayName("given a run that had started, when it is retried, then it counts above the number")
  void retried() {
    var first = starts();
    runs.takes(first);
    runs.does(runs.fail(first, true));
    var second = starts();
    var third = starts();
    runs.does(runs.retry(first));
    assertThat(runs.isInQueue(first)).isFalse();
    runs.enters(first);
    assertThat(runs.isInQueue(first)).isTrue();
    assertThat(runs.admitted(ACME)).containsExactly(second, first);
    runs.does(runs.control(second, Verb.CANCEL));
    runs.settles();
    assertThat(runs.isWaiting(third)).as("one still runs").isTrue();
    runs.does(runs.control(first, Verb.CANCEL));
    runs.settles();
    assertThat(runs.admitted(ACME)).containsExactly(third);
  }

  @Test
  @DisplayName("given a rate, then runs start evenly, and a run that is retried is no start")
  void rate() {
    var definition = limited(List.of(paced("api", 0, Duration.ofSeconds(1))), Steps.task("first"));
    var first = runs.starts(definition, "acme");
    var next = runs.starts(definition, "acme");
    assertThat(runs.isInQueue(first)).isTrue();
    assertThat(runs.lastChange(next))
        .isInstanceOfSatisfying(
            RunChange.Blocked.class,
            blocked ->
                assertThat(blocked.limit())
                    .get()
                    .matches(RunChange.FullLimit::ofDefinition)
                    .matches(RunChange.FullLimit::isRate));
    runs.takes(first);
    runs.does(runs.fail(first, true));
    runs.later(Duration.ofMillis(900)).does(runs.retry(first));
    runs.enters(first);
    assertThat(runs.isInQueue(first)).isTrue();
    runs.settles();
    assertThat(runs.isWaiting(next)).isTrue();
    runs.later(Duration.ofMillis(100)).does(new AdmitRuns(ACME));
    assertThat(runs.isInQueue(next)).isTrue();
  }

  @Test
  @DisplayName("given a timer as first step, then it begins with the admission")
  void timer() {
    var timer =
        new StepDefinition(
            "sleep", new StepDefinition.Timer(new StepDefinition.Timer.After(Duration.ofHours(1))));
    var definition = limited(List.of(limit("api", 1)), timer);
    var first = runs.starts(definition, "acme");
    assertThat(runs.run(first).phase()).isInstanceOf(Phase.Waiting.class);
    var next = runs.starts(definition, "acme");
    runs.later(Duration.ofHours(2)).enters(first);
    runs.settles();
    assertThat(runs.run(first).status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(runs.run(next).phase()).isInstanceOf(Phase.Waiting.class);
    assertThat(runs.run(next).due()).contains(runs.now().plus(Duration.ofHours(1)));
  }

  @Test
  @DisplayName("given one name on a definition and its step, then these are two limits")
  void scopes() {
    var both = limited(List.of(limit("api", 2)), step("call", limit("api", 1)));
    var all = IntStream.range(0, 3).mapToObj(_ -> runs.starts(both, "acme")).toList();
    assertThat(runs.admitted(ACME)).containsExactly(all.get(0), all.get(1));
    assertThat(runs.waiting(ACME)).containsExactly(all.get(2));
    var step = LimitedRuns.key("api", "acme");
    assertThat(runs.admitted(step)).containsExactly(all.get(0));
    assertThat(runs.waiting(step)).containsExactly(all.get(1));
    runs.takes(all.get(0));
    runs.does(runs.complete(all.get(0)));
    runs.settles();
    assertThat(runs.admitted(ACME)).containsExactly(all.get(1), all.get(2));
    assertThat(runs.admitted(step)).containsExactly(all.get(1));
  }

  @Test
  @DisplayName("a run of a limited definition has no tokens at its start")
  void noTokens() {
    var token = HookId.of(Workspace.DEFAULT, "order");
    assertThatThrownBy(() -> runs.queued(ONE, "acme", token))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
