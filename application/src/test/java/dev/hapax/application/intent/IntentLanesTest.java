package dev.hapax.application.intent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.hook.ConflictPolicy;
import dev.hapax.domain.hook.HookId;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunParameters;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("D6")
class IntentLanesTest {
  private final IntentLanes lanes = new IntentLanes();

  private static RunId run(int number) {
    return new RunId(Workspace.DEFAULT, new UUID(1, number));
  }

  private static HookId token(int number) {
    return new HookId(Workspace.DEFAULT, new UUID(2, number));
  }

  private static PostedIntent posted(int number, IntentRequest request) {
    return new PostedIntent(
        new IntentId(Workspace.DEFAULT, new UUID(7, number)),
        number,
        new Intent.Posted(
            new IntentOrigin(IntentVerb.CANCEL_RUN, "shop", Instant.EPOCH), 0, Optional.empty()),
        request,
        1);
  }

  private static PostedIntent cancel(int number, int run) {
    return posted(number, new IntentRequest.Cancel(run(run), ""));
  }

  private static PostedIntent signal(int number, int run) {
    return posted(
        number, new IntentRequest.SignalTo(run(run), new NewSignal("s", "go", Optional.empty())));
  }

  private static PostedIntent start(int number, int run, int token) {
    return posted(
        number,
        new IntentRequest.Start(
            run(run),
            new DefinitionName(Workspace.DEFAULT, "order"),
            Optional.empty(),
            new RunParameters(new Payload.Json("{}"), Map.of()),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new Wanted(token(token), "", Duration.ZERO, new ConflictPolicy.Reject()))));
  }

  @Test
  @DisplayName("given intents that name one record, then one is taken at a time, the first first")
  void oneByOne() {
    var first = start(1, 1, 1);
    var second = cancel(2, 1);
    var other = cancel(3, 2);
    assertThat(lanes.add(first)).isTrue();
    assertThat(lanes.add(first)).as("again").isFalse();
    assertThat(lanes.add(second)).isFalse();
    assertThat(lanes.add(other)).as("another run").isTrue();
    assertThat(lanes.taken(first).ready()).containsExactly(second);
    assertThat(lanes.taken(second).ready()).isEmpty();
  }

  @Test
  @DisplayName("given an intent that is deferred, then those behind it stay in the inbox, too")
  void deferred() {
    var first = cancel(1, 1);
    var second = start(2, 1, 1);
    var third = start(3, 2, 1);
    assertThat(lanes.add(first)).isTrue();
    assertThat(lanes.add(second)).isFalse();
    assertThat(lanes.add(third)).isFalse();
    assertThat(lanes.defer(first)).isEmpty();
    assertThat(lanes.add(second)).isFalse();
    assertThat(lanes.add(third)).as("behind the second").isFalse();
    assertThat(lanes.add(cancel(4, 2))).as("behind the third").isFalse();
    assertThat(lanes.add(cancel(5, 3))).isTrue();
    lanes.open(Workspace.DEFAULT);
    assertThat(lanes.add(first)).isTrue();
  }

  @Test
  @DisplayName("given signals that are deferred, then a cancellation behind them may be taken")
  void cancellationPassesSignals() {
    var first = signal(1, 1);
    var second = signal(2, 1);
    var cancellation = cancel(3, 1);
    var last = signal(4, 1);
    assertThat(lanes.add(first)).isTrue();
    assertThat(lanes.add(second)).isFalse();
    assertThat(lanes.add(cancellation)).as("the first signal is being taken").isFalse();
    assertThat(lanes.add(last)).isFalse();
    assertThat(lanes.defer(first)).containsExactly(cancellation);
    assertThat(lanes.add(signal(5, 1))).as("behind the other signals").isFalse();
    assertThat(lanes.add(cancel(6, 1))).as("one at a time").isFalse();
    assertThat(lanes.taken(cancellation).ready()).containsExactly(cancel(6, 1));
  }

  @Test
  @DisplayName("given a start behind a signal that is deferred, then no cancellation passes it")
  void cancellationPassesOnlySignals() {
    assertThat(lanes.add(signal(1, 1))).isTrue();
    assertThat(lanes.add(start(2, 1, 1))).isFalse();
    assertThat(lanes.add(cancel(3, 1))).isFalse();
    assertThat(lanes.defer(signal(1, 1))).isEmpty();
    assertThat(lanes.add(cancel(4, 1))).isFalse();
  }

  @Test
  @DisplayName("given a long lane, then the rest is found by a scan when the lane is empty")
  void longLane() {
    for (var i = 0; i < IntentLanes.MAX_LANE; i++) {
      assertThat(lanes.add(cancel(i, 1))).isEqualTo(i == 0);
    }
    var late = cancel(IntentLanes.MAX_LANE, 1);
    assertThat(lanes.add(late)).isFalse();
    for (var i = 0; i < IntentLanes.MAX_LANE - 1; i++) {
      assertThat(lanes.taken(cancel(i, 1)).isReopened()).isFalse();
      assertThat(lanes.add(late)).as("still closed").isFalse();
    }
    assertThat(lanes.taken(cancel(IntentLanes.MAX_LANE - 1, 1)).isReopened()).isTrue();
    lanes.open(Workspace.DEFAULT);
    assertThat(lanes.add(late)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  @DisplayName(
      "given random scans, ends and pauses, then only cancellations pass, and only signals")
  void random(long seed) {
    var random = new Random(seed);
    var inbox = new TreeMap<Long, PostedIntent>();
    var flying = new ArrayList<PostedIntent>();
    var last = new Last();
    for (var i = 1; i < 1_500; i++) {
      if (i < 1_200 && random.nextBoolean()) {
        var intent =
            switch (random.nextInt(3)) {
              case 0 -> cancel(i, random.nextInt(4));
              case 1 -> signal(i, random.nextInt(4));
              default -> start(i, random.nextInt(4), random.nextInt(4));
            };
        inbox.put(intent.number(), intent);
        scan(List.of(intent), flying);
      } else if (random.nextInt(20) == 0) {
        lanes.open(Workspace.DEFAULT);
        scan(List.copyOf(inbox.values()), flying);
      }
      if (!flying.isEmpty() && random.nextInt(3) > 0) {
        var ended = flying.remove(random.nextInt(flying.size()));
        if (random.nextInt(10) == 0) {
          flying.addAll(lanes.defer(ended));
        } else {
          last.take(ended);
          inbox.remove(ended.number());
          flying.addAll(lanes.taken(ended).ready());
        }
      }
    }
    while (!inbox.isEmpty()) {
      lanes.open(Workspace.DEFAULT);
      scan(List.copyOf(inbox.values()), flying);
      assertThat(flying).isNotEmpty();
      while (!flying.isEmpty()) {
        var ended = flying.removeFirst();
        last.take(ended);
        inbox.remove(ended.number());
        flying.addAll(lanes.taken(ended).ready());
      }
    }
    assertThat(lanes.hasRoom(Workspace.DEFAULT)).isTrue();
  }

  private void scan(List<PostedIntent> found, List<PostedIntent> flying) {
    found.forEach(
        intent -> {
          if (lanes.add(intent)) {
            flying.add(intent);
          }
        });
  }

  /**
   * The highest numbers that were taken from a lane, of all intents and of those that pass none.
   */
  private static final class Last {
    private final Map<RecordKey<?>, Long> any = new HashMap<>();
    private final Map<RecordKey<?>, Long> inOrder = new HashMap<>();

    void take(PostedIntent intent) {
      var before = intent.request() instanceof IntentRequest.SignalTo ? inOrder : any;
      for (var name : intent.request().names()) {
        assertThat(intent.number()).as("of %s", name).isGreaterThan(before.getOrDefault(name, 0L));
        any.merge(name, intent.number(), Math::max);
        if (!(intent.request() instanceof IntentRequest.Cancel)) {
          inOrder.merge(name, intent.number(), Math::max);
        }
      }
    }
  }
}
