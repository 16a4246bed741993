package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.task;
import static dev.hapax.domain.definition.Steps.timer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.definition.StepDefinition;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionsTest {
  @ParameterizedTest
  @DisplayName(
      "creation, two for each step, the end: 4 for one step, 8 for three [R5, R6, " + "R14]")
  @CsvSource({"1, 4", "3, 8", "10, 22"})
  void ends(int steps, long version) {
    var story = Story.of(tasks(steps));
    assertThat(story.run().version()).isEqualTo(1);
    for (var step = 0; step < steps; step++) {
      var before = story.run().version();
      story.does(story.complete(story.take()));
      assertThat(story.run().version()).isEqualTo(before + (story.run().hasEnded() ? 3 : 2));
    }
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.run().version()).isEqualTo(version);
    assertThat(story.history()).extracting(RunEvent::version).isEqualTo(upTo(version));
  }

  @ParameterizedTest
  @DisplayName("the versions are the same if a completion takes the next step [R6]")
  @CsvSource({"1, 4", "3, 8", "10, 22"})
  void endsInOneGo(int steps, long version) {
    var story = Story.held(tasks(steps));
    for (var step = 0; step < steps; step++) {
      story.does(story.completeAndTakeNext(story.claim()));
    }
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.run().version()).isEqualTo(version);
    assertThat(story.history()).extracting(RunEvent::version).isEqualTo(upTo(version));
  }

  @Test
  @DisplayName("the events of a run with a retry, each with its step and attempt [R14]")
  void events() {
    var story = Story.held(task("a"), task("b"));
    story.does(story.fail(story.claim()));
    story.later(Duration.ofMinutes(1));
    story.does(story.completeAndTakeNext(story.take()));
    story.does(story.skip(story.claim()));
    assertThat(story.history())
        .extracting(
            event ->
                String.format(
                    Locale.ROOT,
                    "%s %d.%d",
                    event.change().getClass().getSimpleName(),
                    event.step(),
                    event.attempt()))
        .containsExactly(
            "Created 0.0",
            "StepStarted 0.1",
            "RetryScheduled 0.1",
            "StepStarted 0.2",
            "StepCompleted 0.2",
            "StepStarted 1.1",
            "StepCompleted 1.1",
            "RunCompleted 2.0");
    assertThat(story.chronicle.steps()).containsExactly(StepStatus.COMPLETED, StepStatus.SKIPPED);
  }

  @Test
  @DisplayName("a timer is entered by what reaches it, and resumes once [R10]")
  void timers() {
    var story = Story.held(task("a"), timer("pause", Duration.ofHours(1)), task("b"));
    story.does(story.complete(story.claim()));
    assertThat(story.tale())
        .containsExactly("Created", "StepStarted", "StepCompleted", "StepStarted", "StepSuspended");
    assertThat(story.run().due()).contains(story.now().plus(Duration.ofHours(1)));
    story.later(Duration.ofHours(1).minusNanos(1_000));
    story.does(story.advance());
    assertThat(story.status()).isEqualTo(RunStatus.WAITING);
    story.later(Duration.ofNanos(1_000));
    story.does(story.advance());
    story.does(story.advance());
    assertThat(story.history()).hasSize(6);
    assertThat(story.status()).isEqualTo(RunStatus.RUNNING);
    assertThat(story.run().step()).contains(task("b"));
  }

  @Test
  @DisplayName("timers that are due complete as they are reached, all in one decision [R10]")
  void pastTimers() {
    var story =
        Story.of(
            timer("a", Story.BEGINNING.minusSeconds(1)), timer("b", Story.BEGINNING), task("c"));
    assertThat(story.run().step()).contains(task("c"));
    assertThat(story.run().version()).isEqualTo(7);
    story.take();
  }

  @Test
  @DisplayName("a run of timers that are over ends as it starts")
  void endsAtOnce() {
    var story = Story.of(timer("a", Story.BEGINNING));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.run().version()).isEqualTo(5);
  }

  @Test
  @DisplayName(
      "the output of a run is that of the last completed step; a skipped step does not change it")
  void output() {
    var story = Story.held(task("a"), task("b"));
    story.does(story.completeAndTakeNext(story.claim()));
    story.does(story.skip(story.claim()));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(story.run().output()).contains(Story.OUTPUT);
  }

  private static StepDefinition[] tasks(int steps) {
    return IntStream.range(0, steps).mapToObj(i -> task("s" + i)).toArray(StepDefinition[]::new);
  }

  private static Iterable<Long> upTo(long version) {
    return IntStream.rangeClosed(1, Math.toIntExact(version)).mapToObj(Long::valueOf).toList();
  }
}
