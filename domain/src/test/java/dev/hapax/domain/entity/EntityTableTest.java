package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Table;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.ledger.Command;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every state and every command, against tables written by hand from the design (5.4). */
class EntityTableTest {
  private static final Duration TICK = Duration.ofMillis(1);

  /** Outcomes that change nothing. */
  private static final Set<String> REFUSALS =
      Set.of("busy", "recovery", "lost", "left", "unclaimed", "already", "claimed");

  private static final String HOSTED =
      """
      state            | mine      | other    | complete  | fail    | renew   | sweep    | recover | done      | undone    | release   | delete
      free             | granted   | granted  | lost      | lost    | lost    | left     | left    | lost      | lost      | unclaimed | deleted
      live             | reentered | busy     | completed | failed  | renewed | left     | left    | lost      | lost      | released  | claimed
      ends now         | reentered | granted  | completed | failed  | renewed | reverted | left    | lost      | lost      | released  | claimed
      over             | reentered | granted  | completed | failed  | renewed | reverted | left    | lost      | lost      | released  | claimed
      recovering       | recovery  | recovery | lost      | lost    | lost    | left     | left    | recovered | recovered | released  | claimed
      recovery is over | granted   | granted  | lost      | lost    | lost    | reverted | left    | recovered | recovered | released  | claimed
      completed        | wrong     | wrong    | already   | lost    | lost    | left     | left    | lost      | lost      | unclaimed | deleted
      failed           | granted   | granted  | lost      | already | lost    | left     | left    | lost      | lost      | unclaimed | deleted
      taken back       | granted   | granted  | lost      | lost    | lost    | left     | left    | lost      | lost      | unclaimed | deleted
      found done       | wrong     | wrong    | lost      | lost    | lost    | left     | left    | already   | lost      | unclaimed | deleted
      found undone     | granted   | granted  | lost      | lost    | lost    | left     | left    | lost      | already   | unclaimed | deleted
      released         | granted   | granted  | lost      | lost    | lost    | left     | left    | lost      | lost      | unclaimed | deleted
      """;

  private static final String REMOTE =
      """
      state            | mine      | other    | complete  | fail    | renew   | sweep    | recover    | done      | undone    | release   | delete
      free             | granted   | granted  | lost      | lost    | lost    | left     | left       | lost      | lost      | unclaimed | deleted
      live             | reentered | busy     | completed | failed  | renewed | left     | left       | lost      | lost      | released  | claimed
      ends now         | reentered | recovery | completed | failed  | renewed | left     | recovering | lost      | lost      | released  | claimed
      over             | reentered | recovery | completed | failed  | renewed | left     | recovering | lost      | lost      | released  | claimed
      recovering       | recovery  | recovery | lost      | lost    | lost    | left     | left       | recovered | recovered | released  | claimed
      recovery is over | recovery  | recovery | lost      | lost    | lost    | left     | recovering | recovered | recovered | released  | claimed
      completed        | wrong     | wrong    | already   | lost    | lost    | left     | left       | lost      | lost      | unclaimed | deleted
      failed           | granted   | granted  | lost      | already | lost    | left     | left       | lost      | lost      | unclaimed | deleted
      taken back       | granted   | granted  | lost      | lost    | lost    | left     | left       | lost      | lost      | unclaimed | deleted
      found done       | wrong     | wrong    | lost      | lost    | lost    | left     | left       | already   | lost      | unclaimed | deleted
      found undone     | granted   | granted  | lost      | lost    | lost    | left     | left       | lost      | already   | unclaimed | deleted
      released         | granted   | granted  | lost      | lost    | lost    | left     | left       | lost      | lost      | unclaimed | deleted
      """;

  /** A story with its granted claims, and forged ones. */
  private record Situation(EntityStory story, ActionClaim action, RecoveryClaim recovery) {}

  @TestFactory
  @DisplayName("every command in every state, with a hosted janitor [C1, C2, C6, C7, C10]")
  Stream<DynamicTest> hosted() {
    return Table.of(HOSTED).each(cell -> check(cell, JanitorMode.HOSTED));
  }

  @TestFactory
  @DisplayName("every command in every state, with a remote janitor [C1, C2, C6, C7, C10]")
  Stream<DynamicTest> remote() {
    return Table.of(REMOTE).each(cell -> check(cell, JanitorMode.REMOTE));
  }

  private static void check(Table.Cell cell, JanitorMode mode) {
    var situation = situation(cell.state());
    var story = situation.story();
    story.declare(mode);
    var before = story.records();
    var version = story.entity().version();
    var word = Words.of(story.does(command(situation, cell.command())));
    assertThat(word).isEqualTo(cell.expected());
    if (REFUSALS.contains(word) || word.equals("wrong")) {
      assertThat(story.records()).isEqualTo(before);
    } else if (word.equals("deleted")) {
      assertThat(story.get(EntityStory.ID)).isEmpty();
      assertThat(story.history().getLast().version()).isEqualTo(version + 1);
    } else if (!word.equals("reentered") && !word.equals("renewed")) {
      assertThat(story.entity().version()).isGreaterThan(version);
    }
  }

  private static Situation situation(String state) {
    var story = EntityStory.at("approved", JanitorMode.REMOTE);
    var none = new RecoveryClaim(EntityStory.ID, 1, 7, story.entity().fence(), true);
    if (state.equals("free")) {
      var never =
          new ActionClaim(
              EntityStory.ID,
              "close",
              "admin",
              "billing",
              1,
              7,
              story.entity().fence(),
              true,
              true,
              0);
      return new Situation(story, never, none);
    }
    var action = story.granted(story.begin("close", "admin", "mine")).claim();
    var recovery = recovery(story, state).orElse(none);
    switch (state) {
      case "ends now" -> story.afterTheLease();
      case "over", "recovery is over" -> story.afterTheLease().later(TICK);
      case "completed" -> story.does(story.complete(action));
      case "failed" -> story.does(story.fail(action));
      case "taken back" -> {
        story.afterTheLease().declare(JanitorMode.HOSTED);
        story.does(story.sweep());
      }
      case "found done" -> story.does(story.say(recovery, RecoveryVerdict.COMPLETE));
      case "found undone" -> story.does(story.say(recovery, RecoveryVerdict.REVERT));
      case "released" -> story.does(story.release("earlier"));
      default -> {}
    }
    return new Situation(story, action, recovery);
  }

  private static Optional<RecoveryClaim> recovery(EntityStory story, String state) {
    return state.startsWith("recover") || state.startsWith("found")
        ? Optional.of(story.afterTheLease().recovering())
        : Optional.empty();
  }

  private static Command<?> command(Situation situation, String name) {
    var story = situation.story();
    return switch (name) {
      case "mine" -> story.begin("close", "admin", "mine");
      case "other" -> story.begin("close", "admin", "other");
      case "complete" -> story.complete(situation.action());
      case "fail" -> story.fail(situation.action());
      case "renew" -> story.renew(situation.action());
      case "sweep" -> story.sweep();
      case "recover" -> story.recover(Optional.empty());
      case "done" -> story.say(situation.recovery(), RecoveryVerdict.COMPLETE);
      case "undone" -> story.say(situation.recovery(), RecoveryVerdict.REVERT);
      case "release" -> story.release("now");
      case "delete" -> story.delete("now");
      default -> throw new IllegalArgumentException(name);
    };
  }
}
