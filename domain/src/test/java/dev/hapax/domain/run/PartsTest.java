package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Parts: named pieces of a step. */
class PartsTest {
  private static final Payload OTHER = new Payload.Json("2");

  @Test
  @Tag("P1")
  @DisplayName("the first recorded output is kept, also in later attempts")
  void firstStands() {
    var story = Story.held(code("body"));
    var first = story.claim();
    assertThat(story.does(story.ask(story.claim(), "charge")))
        .isEqualTo(new RecordStepOutcome.NotRecorded());
    assertThat(story.does(story.record(story.claim(), "charge")))
        .isEqualTo(new RecordStepOutcome.Recorded(Story.OUTPUT, false));
    var again =
        new RecordStep(story.claim(), "charge", Optional.of(OTHER), List.of(), PrincipalName.NONE);
    assertThat(story.does(again)).isEqualTo(new RecordStepOutcome.Recorded(Story.OUTPUT, true));
    story.later(LEASE).take();
    assertThat(story.run().position().attempt()).isEqualTo(2);
    assertThat(story.does(story.ask(story.claim(), "charge")))
        .isEqualTo(new RecordStepOutcome.Recorded(Story.OUTPUT, true));
    assertThat(story.run().named()).isEqualTo(1);
    assertThat(story.get(new PartId(Story.ID, 0, "charge")))
        .contains(new Part.Completed(3, first.nonce(), Story.OUTPUT, PartTraits.NONE));
    assertThat(story.tale())
        .containsExactly("Created", "StepStarted", "StepRecorded", "LeaseLost", "StepStarted");
  }

  @Test
  @DisplayName(
      "given an ended claim, then a retry gets its own recorded output; other claims "
          + "do not [X1]")
  void sentAgain() {
    var story = Story.held(code("body"));
    var first = story.claim();
    story.does(story.record(first, "charge"));
    story.later(LEASE).take();
    var before = story.records();
    assertThat(story.does(story.record(first, "charge")))
        .isEqualTo(new RecordStepOutcome.Recorded(Story.OUTPUT, true));
    assertThat(story.does(story.record(first, "other"))).isInstanceOf(TaskLost.class);
    var other = new TaskClaim(Story.ID, 0, first.nonce() + 1, first.fence());
    assertThat(story.does(story.record(other, "charge"))).isInstanceOf(TaskLost.class);
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("each is one event, and no attempt of its own")
  void oneEventEach() {
    var story = Story.held(code("body"));
    for (var i = 0; i < 10; i++) {
      story.does(story.record(story.claim(), "part " + i));
    }
    story.does(story.complete(story.claim()));
    assertThat(story.run().version()).isEqualTo(14);
    assertThat(story.run().named()).isEqualTo(10);
  }

  @Test
  @DisplayName("a name is of its step: the next step may use it again")
  void ofItsStep() {
    var story = Story.held(code("a"), code("b"));
    story.does(story.record(story.claim(), "part"));
    story.does(story.completeAndTakeNext(story.claim()));
    assertThat(story.does(story.ask(story.claim(), "part")))
        .isEqualTo(new RecordStepOutcome.NotRecorded());
    assertThat(story.does(story.record(story.claim(), "part")))
        .isEqualTo(new RecordStepOutcome.Recorded(Story.OUTPUT, false));
  }

  @Test
  @Tag("P2")
  @DisplayName("its id is that of its step and its name [R13]")
  void id() {
    var id = new PartId(Story.ID, 3, "charge");
    assertThat(id.text()).isEqualTo(Story.ID.step(3) + "/charge");
    assertThat(id.workspace()).isEqualTo(Story.ID.workspace());
  }

  @Test
  @DisplayName("a name has 1 to 255 characters")
  void names() {
    assertThat(new PartId(Story.ID, 0, "\uD83D\uDE00".repeat(255)).name()).hasSize(510);
    for (var name : List.of("", "n".repeat(256), "a\u0000")) {
      assertThatThrownBy(() -> new PartId(Story.ID, 0, name))
          .isInstanceOf(InvalidValueException.class);
    }
  }
}
