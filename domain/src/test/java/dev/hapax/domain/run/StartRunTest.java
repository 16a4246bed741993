package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StartRunTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final RunKeyId KEY = RunKeyId.of(Workspace.DEFAULT, "order 4711");
  private static final Fingerprint SAME = Fingerprint.of(new byte[] {1});
  private static final Fingerprint OTHER = Fingerprint.of(new byte[] {2});
  private static final RunId SECOND = new RunId(Workspace.DEFAULT, new UUID(0x7000, 2));

  private final Story story = Story.untold(task("a"));

  private StartRun start(RunId id, Fingerprint request) {
    var key = new StartRun.Key(KEY, request, DAY);
    return story.start(id, Optional.empty(), Optional.of(key));
  }

  @Test
  @DisplayName("given the same key, then the existing run is returned, in any status [R1]")
  void sameKey() {
    assertThat(story.does(start(Story.ID, SAME))).isInstanceOf(StartOutcome.Created.class);
    var existing = new StartOutcome.Existing(Story.ID);
    assertThat(story.does(start(SECOND, SAME))).isEqualTo(existing);
    story.does(story.complete(story.take()));
    assertThat(story.does(start(SECOND, SAME))).isEqualTo(existing);
    assertThat(story.get(SECOND)).isEmpty();
  }

  @Test
  @DisplayName(
      "given another request, then the existing run is returned and nothing starts " + "[R4]")
  void keyReused() {
    story.does(start(Story.ID, SAME));
    var before = story.records();
    assertThat(story.does(start(SECOND, OTHER)))
        .isEqualTo(new StartOutcome.KeyReused(Story.ID, SAME));
    assertThat(story.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("given no key, or that of another workspace, then a new run starts [R2]")
  void otherKeys() {
    story.does(start(Story.ID, SAME));
    assertThat(story.does(story.start(SECOND, Optional.empty(), Optional.empty())))
        .isInstanceOf(StartOutcome.Created.class);
    assertThat(RunKeyId.of(new Workspace("other"), "order 4711")).isNotEqualTo(KEY);
    assertThat(RunKeyId.of(Workspace.DEFAULT, "order 4712")).isNotEqualTo(KEY);
  }

  @Test
  @DisplayName("a key is remembered from the start, and never forgotten before the run ends")
  void keyMemory() {
    story.does(start(Story.ID, SAME));
    story.later(DAY.minusNanos(1_000));
    assertThat(story.does(start(SECOND, SAME))).isEqualTo(new StartOutcome.Existing(Story.ID));
    story.later(Duration.ofNanos(1_000));
    // it depends on the run that the key leads to
    var other = start(SECOND, OTHER);
    var before = story.records();
    assertThat(story.does(other)).isEqualTo(new StartOutcome.KeyReused(Story.ID, SAME));
    assertThat(story.does(start(SECOND, SAME))).isEqualTo(new StartOutcome.Existing(Story.ID));
    assertThat(story.records()).isEqualTo(before);
    story.does(story.control(Verb.CANCEL));
    assertThat(story.does(other)).isInstanceOf(StartOutcome.Created.class);
    assertThat(story.get(KEY)).contains(new RunKey(SECOND, OTHER, story.now().plus(DAY)));
  }

  @Test
  @DisplayName("given the run of a key was purged, then the key is free")
  void purged() {
    story.put(KEY, new RunKey(Story.ID, SAME, Story.BEGINNING));
    assertThat(story.does(start(SECOND, SAME))).isInstanceOf(StartOutcome.Created.class);
  }

  @Test
  @DisplayName("a key has 1 to 255 characters [R3]")
  void keyLength() {
    assertThat(RunKeyId.of(Workspace.DEFAULT, "k".repeat(255))).isNotNull();
    assertThatThrownBy(() -> RunKeyId.of(Workspace.DEFAULT, "k".repeat(256)))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> RunKeyId.of(Workspace.DEFAULT, ""))
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  @DisplayName("a key is remembered for 365 days at most")
  void retention() {
    assertThat(StartRun.Key.requireRetention(Duration.ofDays(365))).hasDays(365);
    for (var bad : new Duration[] {Duration.ofNanos(-1), Duration.ofDays(365).plusNanos(1)}) {
      assertThatThrownBy(() -> StartRun.Key.requireRetention(bad))
          .isInstanceOf(InvalidValueException.class);
    }
  }

  @Test
  @DisplayName("a run that starts later is PENDING until then")
  void startsLater() {
    var startAt = Story.BEGINNING.plus(DAY);
    story.does(story.start(Optional.of(startAt)));
    assertThat(story.run().due()).contains(startAt);
    story.later(DAY.minusNanos(1_000));
    story.does(story.advance());
    assertThat(story.offered()).isInstanceOf(ClaimTaskOutcome.NothingToDo.class);
    assertThat(story.status()).isEqualTo(RunStatus.PENDING);
    story.later(Duration.ofNanos(1_000)).take();
    assertThat(story.run().startedAt()).contains(startAt);
  }

  @Test
  @DisplayName("a start in the past is a start at once")
  void startedLate() {
    story.does(story.start(Optional.of(Story.BEGINNING.minus(DAY))));
    story.take();
    assertThat(story.run().startedAt()).contains(Story.BEGINNING);
  }

  @Test
  @DisplayName("a run has 32 labels at most, with names")
  void labels() {
    assertThat(with(labels(32)).labels()).hasSize(32);
    assertThat(with(Map.of("b", "", "a", "")).labels()).containsOnlyKeys("a", "b");
    assertThatThrownBy(() -> with(labels(33)))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("has 33 labels; at most 32 are allowed");
    for (var bad : new String[] {"", "a\nb", "n".repeat(256)}) {
      assertThatThrownBy(() -> with(Map.of(bad, "value")))
          .isInstanceOf(InvalidValueException.class);
    }
    assertThatThrownBy(() -> with(Map.of("a", "v".repeat(256))))
        .isInstanceOf(InvalidValueException.class);
  }

  private static RunParameters with(Map<String, String> labels) {
    return new RunParameters(new Payload.Json("{}"), labels);
  }

  private static Map<String, String> labels(int count) {
    return IntStream.range(0, count)
        .boxed()
        .collect(Collectors.toMap(i -> "label " + i, i -> "value"));
  }
}
