package dev.hapax.testkit.entity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.entity.BeginAction;
import dev.hapax.domain.entity.BeginActionOutcome;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.DeleteEntity;
import dev.hapax.domain.entity.DeleteEntityOutcome;
import dev.hapax.domain.entity.Entity;
import dev.hapax.domain.entity.EntityChange;
import dev.hapax.domain.entity.EntityEvent;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.entity.EntityReads;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.run.Actor;
import dev.hapax.testkit.operation.CombinedCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract of entity deletions, on every ledger. Each test uses a separate entity. */
public abstract class EntityDeletionContract {
  private static final Actor BY = Actor.caller("operator");
  private static final AtomicInteger DRAWN = new AtomicInteger();

  /** Returns one of two nodes on one store. */
  protected abstract Ledger ledger(int node);

  protected abstract EntityReads reads();

  /** Returns an unused entity id of an applied lifecycle. */
  protected abstract EntityId newId(int number);

  protected abstract CreateEntity create(EntityId id);

  /** Returns a command that claims the entity in its initial status. */
  protected abstract BeginAction claim(EntityId id);

  private EntityId newId() {
    return newId(DRAWN.incrementAndGet());
  }

  private EntityId created() {
    var id = newId();
    run(create(id));
    return id;
  }

  private <O> O run(Command<O> command) {
    return await(ledger(0).submit(command));
  }

  private static <O> O await(CompletableFuture<O> outcome) {
    return outcome.orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static DeleteEntity delete(EntityId id, String request) {
    return new DeleteEntity(id, request, "obsolete", OptionalLong.empty(), BY);
  }

  private static DeleteEntityOutcome deleted(boolean already) {
    return new DeleteEntityOutcome.Deleted(already);
  }

  private Entity entity(EntityId id) {
    return await(reads().find(id)).orElseThrow();
  }

  private List<EntityEvent> history(EntityId id) {
    return await(reads().events(id, 0, 500)).items();
  }

  private List<Class<?>> changes(EntityId id) {
    return history(id).stream().<Class<?>>map(event -> event.change().getClass()).toList();
  }

  @Test
  @DisplayName("given an entity is deleted, then only the deletion event is left [C11]")
  void deleted() {
    var id = created();
    var before = entity(id);

    assertThat(run(delete(id, "r"))).isEqualTo(deleted(false));

    assertThat(await(reads().find(id))).isEmpty();
    assertThat(await(reads().free(Set.of(id)))).containsExactly(id);
    assertThat(history(id))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.version()).isEqualTo(before.version() + 1);
              assertThat(event.actor()).isEqualTo(BY);
              assertThat(event.status()).isEqualTo(before.status());
              assertThat(event.change())
                  .isInstanceOfSatisfying(
                      EntityChange.Deleted.class,
                      change -> {
                        assertThat(change.requestId()).isEqualTo("r");
                        assertThat(change.reason()).isEqualTo("obsolete");
                        assertThat(change.fence()).isGreaterThan(before.fence());
                      });
            });
  }

  @Test
  @DisplayName(
      "given a deleted entity is created again, then versions and fences rise, and all deletions show")
  void createdAgain() {
    var id = created();
    for (var life = 1; life <= 3; life++) {
      var before = entity(id);
      run(delete(id, "r" + life));
      run(create(id));

      var after = entity(id);
      assertThat(after.version()).isEqualTo(before.version() + 2);
      assertThat(after.fence().value()).isGreaterThan(before.fence().value() + 1);
      assertThat(after.createdAt()).isAfterOrEqualTo(before.createdAt());
      assertThat(after.last()).isEmpty();
    }
    assertThat(changes(id))
        .containsExactly(
            EntityChange.Deleted.class,
            EntityChange.Deleted.class,
            EntityChange.Deleted.class,
            EntityChange.Created.class);
    for (var life = 1; life <= 3; life++) {
      assertThat(await(reads().isDeleted(id, "r" + life))).isTrue();
      assertThat(await(reads().isReleased(id, "r" + life))).isFalse();
    }
    assertThat(await(reads().isDeleted(id, "r4"))).isFalse();
    assertThat(run(delete(id, "r3"))).isEqualTo(deleted(true));
    assertThat(entity(id).version()).isEqualTo(7);
  }

  @Test
  @DisplayName("given an entity is claimed, when it is deleted, then nothing changes")
  void claimed() {
    var id = created();
    run(claim(id));
    var claimed = entity(id);

    assertThat(run(delete(id, "r")))
        .isInstanceOfSatisfying(
            DeleteEntityOutcome.Claimed.class,
            refused -> assertThat(refused.entity().claim()).isEqualTo(claimed.claim()));
    assertThat(entity(id)).isEqualTo(claimed);
    assertThat(changes(id))
        .containsExactly(EntityChange.Created.class, EntityChange.ActionBegan.class);
  }

  @Test
  @DisplayName(
      "given 20 concurrent deletions, then one deletes the entity and the others find none")
  void deletedByOne() {
    var id = created();
    var outcomes =
        IntStream.range(0, 20)
            .mapToObj(i -> ledger(i % 2).submit(delete(id, "r" + i)))
            .toList()
            .stream()
            .map(EntityDeletionContract::await)
            .toList();

    assertThat(outcomes).filteredOn(deleted(false)::equals).hasSize(1);
    assertThat(outcomes).filteredOn(new DeleteEntityOutcome.Absent()::equals).hasSize(19);
    assertThat(changes(id)).containsExactly(EntityChange.Deleted.class);
  }

  @Test
  @DisplayName(
      "given deletions and creations in one batch, then versions rise and all deletions show")
  void inOneBatch() {
    var id = newId();
    run(CombinedCommands.of(create(id), delete(id, "r1")));
    assertThat(await(reads().find(id))).isEmpty();
    run(create(id));
    var before = entity(id);
    run(
        CombinedCommands.of(
            create(id), delete(id, "r2"), create(id), delete(id, "r3"), create(id)));

    assertThat(entity(id).version()).isEqualTo(before.version() + 4);
    assertThat(entity(id).createdAt()).isAfter(before.createdAt());
    assertThat(changes(id))
        .containsExactly(
            EntityChange.Deleted.class,
            EntityChange.Deleted.class,
            EntityChange.Deleted.class,
            EntityChange.Created.class);
  }

  @Test
  @DisplayName(
      "given two nodes create, claim and delete an entity concurrently, then its versions have no gap")
  void races() {
    for (var race = 0; race < 20; race++) {
      var id = newId();
      var requests = 0;
      var all = new ArrayList<CompletableFuture<?>>();
      for (var i = 0; i < 6; i++) {
        var one = ledger(i % 2);
        all.add(one.submit(CombinedCommands.of(create(id), delete(id, "r" + ++requests))));
        all.add(one.submit(create(id)));
        all.add(one.submit(delete(id, "r" + ++requests)));
      }
      all.forEach(EntityDeletionContract::await);
      run(create(id));
      var before = entity(id);
      assertThat(history(id)).last().extracting(EntityEvent::version).isEqualTo(before.version());
      assertThat(run(claim(id))).isInstanceOf(BeginActionOutcome.Granted.class);
      assertThat(entity(id).version()).isEqualTo(before.version() + 1);
    }
  }
}
