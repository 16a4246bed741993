package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Random commands on an invoice. The outcomes are compared with the {@link EntityModel}, and the
 * {@link EntityStory} checks the history. A seed reproduces a run.
 */
class RandomEntitiesTest {
  private static final int STORIES = 1_000;
  private static final int LONG = 30_000;
  private static final int COMMANDS = 120;
  private static final List<String> STEPS = List.of("approve", "close", "regenerate", "cancel");
  private static final List<String> REQUESTERS = List.of("admin", "system");
  private static final List<String> BEGINNINGS = List.of("draft", "approved", "closed");

  /** Outcomes that change nothing. */
  private static final Set<String> REFUSALS =
      Set.of(
          "busy",
          "recovery",
          "forbidden",
          "moved",
          "lost",
          "left",
          "unclaimed",
          "already",
          "claimed");

  @TestFactory
  @DisplayName("given random commands, then all rules hold [C1, C2, C3, C6, C7, C8, C9, C11]")
  Stream<DynamicTest> stories() {
    return stories(0, STORIES);
  }

  @TestFactory
  @Tag("soak")
  @DisplayName("the same with more random commands")
  Stream<DynamicTest> moreStories() {
    return stories(STORIES, LONG);
  }

  private static Stream<DynamicTest> stories(int from, int count) {
    var perTest = 100;
    return IntStream.range(0, count / perTest)
        .map(part -> from + part * perTest)
        .mapToObj(
            first ->
                DynamicTest.dynamicTest(
                    "seeds from " + first,
                    () -> IntStream.range(first, first + perTest).forEach(seed -> tell(seed))));
  }

  private static Teller tell(int seed) {
    try {
      var teller = new Teller(seed);
      teller.tell();
      return teller;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  @Test
  @DisplayName("the random runs cover every event and outcome")
  void everythingHappens() {
    var words = new TreeSet<String>();
    var events = new TreeSet<String>();
    for (var seed = 0; seed < 300; seed++) {
      var teller = tell(seed);
      words.addAll(teller.words);
      events.addAll(teller.story.tale());
    }
    assertThat(events)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(EntityChange.class.getPermittedSubclasses())
                .map(Class::getSimpleName)
                .toList());
    assertThat(words)
        .containsExactlyInAnyOrder(
            "granted",
            "reentered",
            "busy",
            "wrong",
            "forbidden",
            "recovery",
            "moved",
            "completed",
            "failed",
            "renewed",
            "already",
            "lost",
            "released",
            "unclaimed",
            "reverted",
            "left",
            "recovering",
            "recovered",
            "deleted",
            "claimed");
  }

  /** Executes one random run. */
  private static final class Teller {
    final EntityStory story;
    final Set<String> words = new TreeSet<>();
    private final Random random;
    private final EntityModel model;
    private final List<ActionClaim> claims = new ArrayList<>();
    private final List<RecoveryClaim> recoveries = new ArrayList<>();

    Teller(long seed) {
      random = new Random(seed);
      var beginning = any(BEGINNINGS);
      var mode = any(List.of(JanitorMode.values()));
      story = EntityStory.at(beginning, mode);
      model = new EntityModel(beginning, mode);
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    /** Mostly the last one. */
    private <T> T recent(List<T> all) {
      return random.nextInt(3) == 0 ? any(all) : all.getLast();
    }

    private boolean onceIn(int times) {
      return random.nextInt(times) == 0;
    }

    void tell() {
      for (var i = 0; i < COMMANDS; i++) {
        if (onceIn(3)) {
          // also backwards: another machine's clock after a failover
          story.later(Duration.ofMillis(random.nextInt(25_000) - (onceIn(10) ? 25_000 : 0)));
        }
        if (onceIn(20)) {
          model.mode = any(List.of(JanitorMode.values()));
          story.declare(model.mode);
        }
        next();
      }
      assertThat(story.history()).hasSize(Math.toIntExact(story.entity().version()));
    }

    private void next() {
      switch (random.nextInt(13)) {
        case 0, 1, 2 -> begin();
        case 3, 4 -> {
          if (!claims.isEmpty()) {
            var claim = recent(claims);
            check(story.complete(claim), model.complete(claim));
          }
        }
        case 5 -> {
          if (!claims.isEmpty()) {
            var claim = recent(claims);
            check(story.fail(claim, any(List.of(ActionFailureKind.values()))), model.fail(claim));
          }
        }
        case 6 -> {
          if (!claims.isEmpty()) {
            var claim = recent(claims);
            check(story.renew(claim), model.renew(claim, story.now()));
          }
        }
        case 7 -> check(story.sweep(), model.sweep(story.now()));
        case 8, 9 -> recover();
        case 10 -> {
          if (!recoveries.isEmpty()) {
            var claim = recent(recoveries);
            var verdict = any(List.of(RecoveryVerdict.values()));
            check(story.say(claim, verdict), model.say(claim, verdict));
          }
        }
        case 11 -> {
          if (onceIn(3)) {
            delete();
          }
        }
        default -> {
          var request = "request " + random.nextInt(4);
          if (onceIn(3)) {
            check(story.release(request), model.release(request));
          }
        }
      }
    }

    private void begin() {
      var attempt = "attempt " + random.nextInt(6);
      var expected =
          onceIn(4)
              ? OptionalLong.of(story.entity().version() - random.nextInt(2))
              : OptionalLong.empty();
      var begin = story.begin(any(STEPS), any(REQUESTERS), attempt, expected);
      if (check(begin, model.begin(begin, attempt, story.now()))
          instanceof BeginActionOutcome.Granted granted) {
        claims.add(granted.claim());
      }
    }

    /** Its history continues that of the deleted entity. */
    private void delete() {
      var request = "deletion " + random.nextInt(3);
      var expected = model.delete(request);
      var word = Words.of(story.does(story.delete(request)));
      words.add(word);
      assertThat(word).isEqualTo(expected);
      if (word.equals("deleted")) {
        assertThat(story.get(EntityStory.ID)).isEmpty();
        var beginning = any(BEGINNINGS);
        model.createdAgain(beginning);
        story.does(new CreateEntity(EntityStory.ID, beginning, "", EntityStory.BY));
      }
      assertThat(story.entity().status()).isEqualTo(model.status);
      assertThat(story.entity().version()).isEqualTo(model.version);
    }

    private void recover() {
      var recover = story.recover(Optional.of(new UUID(0, random.nextLong())));
      if (check(recover, model.recover(recover.nonce(), story.now()))
          instanceof BeginRecoveryOutcome.Claimed claimed) {
        recoveries.add(claimed.claim());
      }
    }

    private <O> O check(Command<O> command, String expected) {
      var before = story.records();
      var outcome = story.does(command);
      var word = Words.of(outcome);
      words.add(word);
      assertThat(word).as("%s", command).isEqualTo(expected);
      assertThat(story.entity().status()).isEqualTo(model.status);
      assertThat(story.entity().version()).isEqualTo(model.version);
      assertThat(story.entity().held().isPresent()).isEqualTo(model.isTaken());
      assertThat(story.effects()).hasSize(model.effects);
      if (REFUSALS.contains(word)) {
        assertThat(story.records()).isEqualTo(before);
      }
      return outcome;
    }
  }
}
