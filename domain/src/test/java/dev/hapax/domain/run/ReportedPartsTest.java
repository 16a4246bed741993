package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.code;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several reports in one call: all of them are stored, or none. */
class ReportedPartsTest {
  private static final PartResult.Recorded NEW = new PartResult.Recorded(Story.OUTPUT, false);
  private static final PartResult.Recorded KNOWN = new PartResult.Recorded(Story.OUTPUT, true);

  private static Json.Obj state(String name, String value) {
    return new Json.Obj(Map.of(name, new Json.Str(value)));
  }

  private static RecordParts patching(Story story, Json.Obj patch, PartReport... reports) {
    return new RecordParts(
        story.claim(),
        new ReportedParts(List.of(reports), Optional.of(patch), 0.5),
        PrincipalName.NONE);
  }

  @Test
  @DisplayName("each report has a result, in order; one about the same part follows the other")
  void inOrder() {
    var story = Story.held(code("body"));
    story.does(story.record(story.claim(), "a"));
    var outcome =
        story.does(
            story.report(
                story.claim(),
                Story.output("a"),
                Story.begin("b"),
                Story.failing("b", 1),
                Story.begin("b"),
                Story.output("b"),
                Story.output("b"),
                Story.output("c")));
    assertThat(((RecordPartsOutcome.Stored) outcome).results())
        .satisfiesExactly(
            known -> assertThat(known).isEqualTo(KNOWN),
            begun -> assertThat(begun).isInstanceOf(PartResult.Begun.class),
            failed -> assertThat(failed).isInstanceOf(PartResult.Failed.class),
            again -> assertThat(again).isInstanceOf(PartResult.Begun.class),
            recorded -> assertThat(recorded).isEqualTo(NEW),
            kept -> assertThat(kept).isEqualTo(KNOWN),
            other -> assertThat(other).isEqualTo(NEW));
    assertThat(story.tale())
        .endsWith(
            "StepRecorded", "PartBegun", "PartFailed", "PartBegun", "StepRecorded", "StepRecorded");
  }

  @ParameterizedTest
  @Tag("P10")
  @DisplayName("given one report is refused, then nothing is stored and the step stays held")
  @ValueSource(strings = {"signal", "attempt"})
  void allOrNone(String wrong) {
    var story = Story.held(code("body"));
    story.does(story.signal("s1", "go"));
    var before = story.records();
    var parts =
        Story.parts(
            Story.output("a", "s1"),
            Story.begin("b"),
            wrong.equals("signal") ? Story.output("c", "other") : Story.failing("c", 2));
    var refused =
        wrong.equals("signal")
            ? new PartsRefused.NoSuchSignal(2, "other")
            : new PartsRefused.OtherAttempt(2, 1);
    for (var command : with(story, parts)) {
      assertThat((Object) story.does(command)).isEqualTo(refused);
      assertThat(story.records()).isEqualTo(before);
    }
    assertThat(story.run().held()).isPresent();
  }

  /** Each command that brings parts. */
  private static List<Command<?>> with(Story story, ReportedParts parts) {
    var claim = story.claim();
    return List.of(
        new RecordParts(claim, parts, PrincipalName.NONE),
        new CompleteTask(
            claim,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            OptionalLong.empty(),
            parts,
            PrincipalName.NONE),
        new FailTask(claim, Story.FAILURE, false, Optional.empty(), 0.5, parts, PrincipalName.NONE),
        new SuspendTask(
            claim,
            story.suspend(claim, Duration.ofMinutes(1)).timer(),
            Optional.empty(),
            Optional.empty(),
            parts,
            PrincipalName.NONE));
  }

  @Test
  @DisplayName("a completion, failure or suspension stores its parts first")
  void withTheEnd() {
    for (var i = 1; i < 4; i++) {
      var story = Story.held(code("body"), code("next"));
      story.does(with(story, Story.parts(Story.output("a"), Story.failing("b", 1))).get(i));
      assertThat(story.get(new PartId(Story.ID, 0, "a")))
          .isPresent()
          .get()
          .isInstanceOf(Part.Completed.class);
      assertThat(story.get(new PartId(Story.ID, 0, "b")))
          .isPresent()
          .get()
          .isInstanceOf(Part.Retrying.class);
      assertThat(story.tale().subList(2, 5))
          .containsExactly(
              "StepRecorded",
              "PartFailed",
              List.of("", "StepCompleted", "RetryScheduled", "StepSuspended").get(i));
    }
  }

  @Test
  @DisplayName("a signal is consumed once, by the first part that names it")
  void consumedOnce() {
    var story = Story.held(code("body"));
    story.does(story.signal("s1", "go"));
    story.does(story.signal("s2", "go"));
    story.does(
        story.report(story.claim(), Story.output("a", "s1", "s1"), Story.output("b", "s2", "s1")));
    assertThat(
            story.history().stream()
                .map(RunEvent::change)
                .filter(RunChange.StepRecorded.class::isInstance)
                .map(change -> ((RunChange.StepRecorded) change).consumed()))
        .containsExactly(List.of("s1"), List.of("s2"));
    assertThat(story.run().inbox().unconsumed()).isZero();
  }

  @Test
  @DisplayName("a completion consumes what its parts do not")
  void consumedByTheEnd() {
    var story = Story.held(code("body"));
    story.does(story.signal("s1", "go"));
    story.does(story.signal("s2", "go"));
    story.does(
        new CompleteTask(
            story.claim(),
            Optional.empty(),
            Optional.empty(),
            List.of("s1", "s2"),
            false,
            OptionalLong.empty(),
            Story.parts(Story.output("a", "s1")),
            PrincipalName.NONE));
    assertThat(story.run().inbox().unconsumed()).isZero();
    assertThat(story.records().values().stream().filter(Signal.class::isInstance))
        .allMatch(signal -> ((Signal) signal).consumed());
  }

  @Test
  @DisplayName("the patch comes with the first output that is new, and once")
  void patch() {
    var story = Story.held(code("body"));
    story.does(story.record(story.claim(), "known"));
    var call =
        patching(
            story,
            state("progress", "2 of 3"),
            Story.output("known"),
            Story.begin("pay"),
            Story.output("a"),
            Story.output("b"));
    story.does(call);
    assertThat(
            story.history().stream()
                .map(RunEvent::change)
                .filter(RunChange.StepRecorded.class::isInstance)
                .map(change -> ((RunChange.StepRecorded) change).patch().isPresent()))
        .containsExactly(false, true, false);
    assertThat(story.run().state()).isEqualTo(state("progress", "2 of 3"));
    story.does(patching(story, state("progress", "3 of 3"), Story.output("c")));
    var before = story.records();
    story.does(call);
    assertThat(story.records()).as("sent again").isEqualTo(before);
  }

  @Test
  @DisplayName("given the state would be too large, then nothing is stored")
  void tooLarge() {
    var story = Story.held(code("body"));
    var before = story.records();
    var large = state("text", "x".repeat(Run.MAX_STATE));
    assertThat(story.does(patching(story, large, Story.output("a"), Story.output("b"))))
        .isEqualTo(new PartsRefused.StateTooLarge());
    assertThat(story.records()).isEqualTo(before);
    story.does(story.record(story.claim(), "known"));
    assertThat(story.does(patching(story, large, Story.output("known"))))
        .as("nothing is new, so nothing is patched")
        .isEqualTo(new RecordPartsOutcome.Stored(List.of(KNOWN)));
  }

  @Test
  @DisplayName("at 50,000 events new reports are rejected together, known ones are answered")
  void fullHistory() {
    var story = Story.held(code("body"));
    story.does(story.record(story.claim(), "known"));
    var known = story.report(story.claim(), Story.output("known"));
    var two = story.report(story.claim(), Story.output("a"), Story.begin("b"));
    for (var report : List.of(Story.output("a"), Story.begin("a"), Story.failing("a", 1))) {
      var one = story.report(story.claim(), report);
      assertThat(late(story, Run.MAX_EVENTS - 1, one))
          .isInstanceOf(RecordPartsOutcome.Stored.class);
      assertThat(late(story, Run.MAX_EVENTS, one)).isEqualTo(new PartsRefused.TooManyEvents());
    }
    assertThat(late(story, Run.MAX_EVENTS - 2, two)).isInstanceOf(RecordPartsOutcome.Stored.class);
    assertThat(late(story, Run.MAX_EVENTS - 1, two)).isEqualTo(new PartsRefused.TooManyEvents());
    assertThat(late(story, Run.MAX_EVENTS, known))
        .isEqualTo(new RecordPartsOutcome.Stored(List.of(KNOWN)));
  }

  /** Decides it as if the run had so many events. */
  private static <O> O late(Story story, long version, Command<O> command) {
    var records = new HashMap<>(story.records());
    records.put(Story.ID, Histories.at(story.run(), version));
    return new Batch(records, story.now()).decide(command);
  }
}
