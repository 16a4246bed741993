package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The state of a run, patched by its steps. */
class StateTest {
  /** {"a":""} */
  private static final int AROUND = 8;

  private static Json.Obj a(Json value) {
    return new Json.Obj(Map.of("a", value));
  }

  private static Json.Obj filled(int bytes) {
    return a(new Json.Str("x".repeat(bytes - AROUND)));
  }

  private static CompleteTask complete(Story story, Json.Obj patch) {
    return story.complete(story.claim(), Optional.of(patch), List.of());
  }

  private static SuspendTask suspend(Story story, Json.Obj patch) {
    return new SuspendTask(
        story.claim(),
        Optional.of(new StepDefinition.Timer(new StepDefinition.Timer.At(story.now()))),
        Optional.empty(),
        Optional.of(patch),
        PrincipalName.NONE);
  }

  @Test
  @DisplayName("each completion and suspension patches the state")
  void patches() {
    var story = Story.held(task("a"), task("b"), task("c"));
    assertThat(story.run().state()).isEqualTo(Json.Obj.EMPTY);
    story.does(complete(story, a(a(new Json.Num("1.50")))));
    story.take();
    story.does(suspend(story, a(new Json.Obj(Map.of("b", new Json.Bool(true))))));
    assertThat(story.run().state())
        .isEqualTo(a(new Json.Obj(Map.of("a", new Json.Num("1.50"), "b", new Json.Bool(true)))));
    story.take();
    story.does(complete(story, a(new Json.Null())));
    assertThat(story.run().state()).isEqualTo(Json.Obj.EMPTY);
  }

  @Test
  @DisplayName("a failed attempt leaves the state as it was")
  void failure() {
    var story = Story.held(task("a"));
    story.does(suspend(story, a(new Json.Bool(true))));
    story.take();
    story.does(story.fail(story.claim()));
    assertThat(story.run().state()).isEqualTo(a(new Json.Bool(true)));
  }

  @Test
  @DisplayName("a state of 256 KiB is stored; one byte more is rejected, and the step stays held")
  void tooLarge() {
    var story = Story.held(task("a"), task("b"));
    story.does(story.signal("s1", "go"));
    var before = story.records();
    var tooLarge = filled(Run.MAX_STATE + 1);
    assertThat(
            story.does(
                new CompleteTask(
                    story.claim(),
                    Optional.empty(),
                    Optional.of(tooLarge),
                    List.of("s1"),
                    false,
                    OptionalLong.of(1),
                    PrincipalName.NONE)))
        .isEqualTo(new CompleteTaskOutcome.StateTooLarge());
    assertThat(story.does(suspend(story, tooLarge)))
        .isEqualTo(new SuspendTaskOutcome.StateTooLarge());
    assertThat(story.records()).isEqualTo(before);
    assertThat(story.run().held()).isPresent();
    assertThat(story.does(complete(story, filled(Run.MAX_STATE))))
        .isInstanceOf(CompleteTaskOutcome.Completed.class);
  }

  @Test
  @DisplayName("the limit counts bytes, including the existing state")
  void bytes() {
    var story = Story.held(task("a"), task("b"), task("c"));
    // 3 bytes each
    var euros = a(new Json.Str("\u20ac".repeat(Run.MAX_STATE / 3)));
    assertThat(story.does(complete(story, euros)))
        .isEqualTo(new CompleteTaskOutcome.StateTooLarge());
    story.does(complete(story, filled(Run.MAX_STATE)));
    story.take();
    var more = new Json.Obj(Map.of("b", new Json.Null(), "c", new Json.Num("1")));
    assertThat(story.does(complete(story, more)))
        .isEqualTo(new CompleteTaskOutcome.StateTooLarge());
    // what shrinks it passes
    story.does(complete(story, a(new Json.Num("1"))));
    story.take();
    story.does(complete(story, more));
    assertThat(story.status()).isEqualTo(RunStatus.COMPLETED);
  }
}
