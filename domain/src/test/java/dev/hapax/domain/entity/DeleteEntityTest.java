package dev.hapax.domain.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.janitor.JanitorMode;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DeleteEntityTest {
  private final EntityStory story = EntityStory.at("draft", JanitorMode.HOSTED);

  private void createAgain() {
    assertThat(story.does(new CreateEntity(EntityStory.ID, "draft", "", EntityStory.BY)))
        .isInstanceOfSatisfying(
            CreateEntityOutcome.There.class, there -> assertThat(there.created()).isTrue());
  }

  private DeleteEntityOutcome deletedAt(long version) {
    return story.does(
        new DeleteEntity(
            EntityStory.ID, "request", "why", OptionalLong.of(version), EntityStory.BY));
  }

  @Test
  @DisplayName(
      "given it is created again, also by a clock that went back, versions and "
          + "fences rise [C11]")
  void createdAgain() {
    var before = story.entity();
    story.does(story.delete("request"));
    story.later(Duration.ofDays(-1));
    createAgain();

    assertThat(story.entity().version()).isEqualTo(before.version() + 2);
    assertThat(story.entity().fence().value()).isGreaterThan(before.fence().value() + 1);
    assertThat(story.entity().createdAt()).isEqualTo(story.now());
  }

  @Test
  @DisplayName("given a repeated deletion, then an entity created meanwhile stays")
  void sentAgain() {
    assertThat(story.does(story.delete("request"))).isEqualTo(deleted(false));
    assertThat(story.does(story.delete("request"))).isEqualTo(deleted(true));
    createAgain();
    assertThat(story.does(story.delete("request"))).isEqualTo(deleted(true));

    assertThat(story.entity().status()).isEqualTo("draft");
    assertThat(story.does(story.delete("another request"))).isEqualTo(deleted(false));
  }

  private static DeleteEntityOutcome deleted(boolean already) {
    return new DeleteEntityOutcome.Deleted(already);
  }

  @Test
  @DisplayName("given a missing entity, then its deletion leaves no trace")
  void absent() {
    var empty = EntityStory.untold(JanitorMode.HOSTED);
    var before = empty.records();

    assertThat(empty.does(empty.delete("request"))).isEqualTo(new DeleteEntityOutcome.Absent());
    assertThat(empty.records()).isEqualTo(before);
  }

  @Test
  @DisplayName("given the entity has changed, then a deletion of an expected version is rejected")
  void expectedVersion() {
    var approved = story.granted(story.begin("approve", "admin", "a")).claim();
    story.does(story.complete(approved));

    assertThat(deletedAt(1)).isEqualTo(new DeleteEntityOutcome.Moved(story.entity()));
    assertThat(deletedAt(2)).isEqualTo(deleted(false));
  }

  @Test
  @DisplayName("given a grant without a claim state, then it does not act on one created again")
  void optimisticGrant() {
    var granted = story.granted(story.begin("approve", "admin", "a")).claim();
    story.does(story.delete("request"));
    createAgain();

    assertThat(story.does(story.complete(granted))).isInstanceOf(ActionClaimLost.class);
    assertThat(story.does(story.renew(granted))).isInstanceOf(ActionClaimLost.class);
    var again = story.granted(story.begin("approve", "admin", "a")).claim();
    assertThat(again.fence()).isGreaterThan(granted.fence());
    assertThat(story.effects()).isEmpty();
  }

  @Test
  @DisplayName("after-effects it has started go on, and it starts new ones when created again")
  void afterEffects() {
    for (var life = 1; life <= 2; life++) {
      var granted = story.granted(story.begin("approve", "admin", "a")).claim();
      story.does(story.complete(granted));
      assertThat(story.effects()).hasSize(life);
      story.does(story.delete("request " + life));
      createAgain();
    }
    assertThat(story.effects().stream().distinct()).hasSize(2);
    story.effects().forEach(run -> assertThat(story.get(run.id())).isPresent());
  }
}
