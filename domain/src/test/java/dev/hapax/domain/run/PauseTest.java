package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.signal;
import static dev.hapax.domain.definition.Steps.task;
import static dev.hapax.domain.definition.Steps.timer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The effects of a pause. */
class PauseTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static Story pausedWhileHeld(StepDefinition... steps) {
    var story = Story.held(steps);
    story.does(story.control(Verb.PAUSE));
    return story;
  }

  private static void requireNothingDispatched(Story story) {
    var before = story.records();
    story.offered();
    story.does(story.advance());
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.status()).isEqualTo(RunStatus.PAUSED);
  }

  @Test
  @DisplayName(
      "given a pause, then the current attempt may end, and the next step begins on resume")
  void attemptUnderWay() {
    var story = pausedWhileHeld(task("a"), task("b"));
    story.does(story.record(story.claim(), "part"));
    assertThat(story.does(story.heartbeat(story.claim())))
        .isInstanceOf(HeartbeatOutcome.Renewed.class);
    story.does(story.completeAndTakeNext(story.claim()));
    assertThat(story.run().held()).isEmpty();
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.COMPLETED, StepStatus.PENDING);
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    assertThat(story.take().step()).isEqualTo(1);
  }

  @Test
  @DisplayName("the last completion under a pause ends the run on resume")
  void lastCompletion() {
    var story = pausedWhileHeld(task("a"));
    story.does(story.complete(story.claim()));
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    assertThat(story.tale()).endsWith("Paused", "StepCompleted", "Resumed", "RunCompleted");
    assertThat(story.run().output()).contains(Story.OUTPUT);
  }

  @Test
  @DisplayName("so does the last failure")
  void lastFailure() {
    var story = pausedWhileHeld(task("a"));
    story.does(story.failFinally(story.claim()));
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    assertThat(story.run().phase()).isEqualTo(new Phase.Failed(story.now(), Story.FAILURE));
  }

  @Test
  @DisplayName("a run that is done but for its end can be cancelled; what is done stays done")
  void cancelledWhenDone() {
    var story = pausedWhileHeld(task("a"));
    story.does(story.complete(story.claim()));
    story.does(story.control(Verb.CANCEL));
    assertThat(story.status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.COMPLETED);
  }

  @Test
  @DisplayName("given a lease expires under a pause, then the step waits for the resume")
  void leaseEnds() {
    var story = pausedWhileHeld(task("a"));
    assertThat(story.run().due()).contains(story.now().plus(LEASE));
    story.later(LEASE);
    story.does(story.advance());
    assertThat(story.lastChange()).isEqualTo(new RunChange.LeaseLost(false, false));
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    story.take();
    assertThat(story.run().position().attempt()).isEqualTo(2);
  }

  @Test
  @DisplayName("a retry keeps its due time")
  void retryKeepsItsTime() {
    var story = Story.held(task("a"));
    story.does(story.fail(story.claim()));
    var due = story.run().due();
    story.does(story.control(Verb.PAUSE));
    assertThat(story.run().due()).isEmpty();
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    assertThat(story.run().due()).isEqualTo(due);
  }

  @Test
  @DisplayName("a timer keeps its due time, and waits on if it is not over")
  void timerKeepsItsTime() {
    var story = Story.of(timer("pause", HOUR));
    var due = story.run().due();
    story.does(story.control(Verb.PAUSE));
    story.later(HOUR.dividedBy(2));
    story.does(story.control(Verb.RESUME));
    assertThat(story.status()).isEqualTo(RunStatus.WAITING);
    assertThat(story.run().due()).isEqualTo(due);
    assertThat(story.tale()).endsWith("Paused", "Resumed", "StepSuspended");
  }

  @Test
  @DisplayName("given a timer ends under a pause, then it takes effect on resume")
  void timerEnds() {
    var story = Story.of(timer("pause", HOUR), task("a"));
    story.does(story.control(Verb.PAUSE));
    story.later(HOUR);
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.COMPLETED, StepStatus.PENDING);
    story.take();
  }

  @Test
  @DisplayName("a timer that is reached under a pause begins on resume")
  void timerBegins() {
    var story = pausedWhileHeld(task("a"), timer("pause", HOUR));
    story.does(story.complete(story.claim()));
    story.later(HOUR);
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    assertThat(story.status()).isEqualTo(RunStatus.WAITING);
    assertThat(story.run().due()).contains(story.now().plus(HOUR));
  }

  @Test
  @DisplayName("a signal is buffered, and the step gets it on resume")
  void signals() {
    var story = Story.of(signal("approval", "go", HOUR));
    story.does(story.control(Verb.PAUSE));
    assertThat(story.delivers(story.signal("s1", "go"))).isFalse();
    requireNothingDispatched(story);
    // the wait has timed out by now, but the signal arrived in time
    story.later(HOUR);
    story.does(story.control(Verb.RESUME));
    assertThat(story.status()).isEqualTo(RunStatus.WAITING);
    story.does(story.match());
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.run().output()).contains(Story.payload("s1"));
  }

  @Test
  @DisplayName("an attempt may suspend under a pause; it waits on behind it")
  void suspends() {
    var story = pausedWhileHeld(task("a"));
    story.does(story.suspend(story.claim(), HOUR));
    requireNothingDispatched(story);
    story.later(HOUR);
    requireNothingDispatched(story);
    story.does(story.control(Verb.RESUME));
    story.take();
    assertThat(story.run().position().attempt()).isEqualTo(1);
  }

  @Test
  @DisplayName("pausing twice and resuming twice changes nothing the second time")
  void twice() {
    var story = pausedWhileHeld(task("a"));
    story.does(story.control(Verb.PAUSE));
    assertThat(story.tale()).containsExactly("Created", "StepStarted", "Paused");
    story.does(story.control(Verb.RESUME));
    story.does(story.control(Verb.RESUME));
    assertThat(story.tale()).containsExactly("Created", "StepStarted", "Paused", "Resumed");
    story.does(story.complete(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }
}
