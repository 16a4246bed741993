package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.entity.Office;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RemoteChangeProbeTest {
  private static final EntityId INVOICE = Office.invoice("one");
  private final ManualScheduler timer = new ManualScheduler(new SettableClock());
  private final Waiters<EntityId> waiters = new Waiters<>(new WaiterQuota());
  private final List<CompletableFuture<Set<EntityId>>> looks = new ArrayList<>();
  private final List<EntityId> woken = new ArrayList<>();
  private final RemoteChangeProbe<EntityId> look =
      new RemoteChangeProbe<>(
          waiters,
          _ -> {
            looks.add(new CompletableFuture<>());
            return looks.getLast();
          },
          timer);

  private void wait(EntityId id) {
    waiters.enter(id, _ -> woken.add(id));
  }

  private void hear(int times) {
    for (var i = 0; i < times; i++) {
      look.wakeChanged();
    }
  }

  @Test
  @DisplayName(
      "given commits of another node, then the first causes a query at once, and many share few")
  void crowd() {
    wait(INVOICE);
    hear(1);
    assertThat(looks).hasSize(1);
    hear(20);
    assertThat(looks).as("one is under way").hasSize(1);
    looks.getLast().complete(Set.of(INVOICE));
    assertThat(woken).containsExactly(INVOICE);

    for (var i = 0; i < 100; i++) {
      hear(1);
      looks.getLast().complete(Set.of());
      timer.advance(Duration.ofMillis(10));
    }
    assertThat(looks).hasSizeBetween(5, 7);

    timer.advance(Duration.ofSeconds(1));
    var before = looks.size();
    looks.getLast().complete(Set.of());
    timer.advance(Duration.ofSeconds(1));
    assertThat(looks).as("nothing was heard").hasSize(before);
    hear(1);
    assertThat(looks).hasSize(before + 1);
  }

  @Test
  @DisplayName("given a notification during a query, then another query follows")
  void meanwhile() {
    wait(INVOICE);
    hear(2);
    looks.getLast().complete(Set.of());
    timer.advance(Duration.ofMillis(200));
    assertThat(looks).hasSize(2);
  }

  @Test
  @DisplayName("given no waiters, then no queries; a later waiter causes queries again")
  void withoutWaiters() {
    hear(3);
    assertThat(looks).isEmpty();
    wait(INVOICE);
    hear(1);
    assertThat(looks).hasSize(1);
  }
}
