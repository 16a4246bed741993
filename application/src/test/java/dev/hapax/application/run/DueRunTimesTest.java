package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DueRunTimesTest {
  private static final Instant START = Instant.EPOCH;
  private final DueRunTimes due = new DueRunTimes(3);

  private static RunId run(int number) {
    return new RunId(new Workspace("due"), new UUID(7, number));
  }

  private void put(int number, int seconds) {
    due.put(run(number), START.plusSeconds(seconds));
  }

  @Test
  @DisplayName("given more than there is room for, those that are due first are kept")
  void full() {
    put(1, 100);
    put(2, 200);
    put(3, 300);
    put(4, 400);
    put(5, 5);
    assertThat(due.size()).isEqualTo(3);
    assertThat(due.take(START.plusSeconds(1_000), 10)).containsExactly(run(5), run(1), run(2));
    assertThat(due.size()).isZero();
  }

  @Test
  @DisplayName("given a run whose time changes, only the last one counts")
  void changed() {
    put(1, 100);
    put(1, 50);
    put(1, 70);
    assertThat(due.take(START.plusSeconds(69), 10)).isEmpty();
    assertThat(due.take(START.plusSeconds(70), 10)).containsExactly(run(1));
  }

  @Test
  @DisplayName("given an older version of a run, its time does not replace that of a later one")
  void outOfOrder() {
    var house = new House();
    var older = house.start(House.timer("wait", Duration.ofHours(1)), House.task("charge"));
    house.signal(older, "s1", "any");
    var newer = house.look(older);
    assertThat(newer.version()).isGreaterThan(older.version());

    due.put(newer, START.plusSeconds(10));
    due.put(older, START.plusSeconds(20));
    due.remove(older);
    assertThat(due.take(START.plusSeconds(10), 10)).containsExactly(newer.id());

    due.put(newer, START.plusSeconds(10));
    due.remove(newer);
    assertThat(due.take(START.plusSeconds(10), 10)).isEmpty();
  }

  @Test
  @DisplayName("given a load from before the known version, only an earlier time replaces that one")
  void loadedBefore() {
    var known = new House().start(House.timer("wait", Duration.ofHours(1)), House.task("charge"));
    due.put(known, START.plusSeconds(10));
    due.put(known.id(), START.plusSeconds(20));
    assertThat(due.take(START.plusSeconds(10), 10)).containsExactly(known.id());

    due.put(known, START.plusSeconds(10));
    due.put(known.id(), START.plusSeconds(5));
    assertThat(due.take(START.plusSeconds(5), 10)).containsExactly(known.id());
  }
}
