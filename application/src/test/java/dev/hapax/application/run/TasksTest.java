package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TasksTest {
  private static final Duration WAIT = Duration.ofSeconds(20);
  private final House house = new House();

  @Test
  @DisplayName("R6: a run of one step is polled, completed, and over at version 4")
  void oneStep() {
    var run = house.start(House.task("charge"));

    var task = house.pollOne("poll");

    assertThat(task.run().id()).isEqualTo(run.id());
    // with the moment that the poll itself took
    assertThat(task.leaseRemaining())
        .isBetween(House.LEASE, House.LEASE.plus(Duration.ofSeconds(10)));
    assertThat(house.complete(task)).isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(house.look(run))
        .extracting(Run::status, Run::version)
        .containsExactly(RunStatus.COMPLETED, 4L);
  }

  @Test
  @DisplayName("a parked poll gets what is started later; an empty one ends with its wait")
  void parked() {
    var poll = house.poll("poll", WAIT);
    assertThat(poll).isNotDone();
    var run = house.start(House.task("charge"));
    assertThat(poll.join()).extracting(task -> task.run().id()).containsExactly(run.id());

    var other = house.poll("other", WAIT);
    house.pass(WAIT.minusMillis(1));
    assertThat(other).isNotDone();
    house.pass(Duration.ofMillis(1));
    assertThat(other.join()).isEmpty();
    assertThat(house.places.size()).isZero();
  }

  @Test
  @DisplayName("X1: a poll that is sent again gets the same task with the same fence")
  void pollAgain() {
    house.start(House.task("charge"));
    house.start(House.task("charge"));
    var first = house.poll("poll", WAIT).join();

    var again = house.poll("poll", WAIT).join();

    assertThat(again).hasSize(2);
    assertThat(again)
        .extracting(task -> task.run().claim())
        .isEqualTo(first.stream().map(task -> task.run().claim()).toList());
  }

  @Test
  @DisplayName("a poll that is sent again while the first waits has the tasks to come")
  void pollTwice() {
    var first = house.poll("poll", WAIT);
    var second = house.poll("poll", WAIT);

    house.start(House.task("charge"));

    assertThat(first.join()).isEmpty();
    assertThat(second.join()).hasSize(1);
  }

  @Test
  @DisplayName("a poll that is cancelled frees its place and takes nothing")
  void cancelled() {
    var gone = house.poll("gone", WAIT);
    assertThat(gone.cancel(false)).isTrue();
    assertThat(house.places.size()).isZero();

    house.start(House.task("charge"));
    assertThat(house.pollOne("poll").run().position().attempt()).isEqualTo(1);
  }

  @Test
  @DisplayName("R8, R12: past its lease a step is another worker's, and the first is refused")
  void leaseOver() {
    var run = house.start(House.task("charge"));
    var first = house.pollOne("first");
    var waiting = house.poll("second", WAIT);

    house.pass(House.LEASE.minus(WAIT));
    assertThat(waiting).isNotDone();
    var second = house.poll("third", WAIT);
    house.pass(WAIT.minus(Duration.ofMillis(500)));
    assertThat(second).isNotDone();
    var third = house.poll("fourth", WAIT);
    house.pass(Duration.ofSeconds(1));

    var granted = third.isDone() ? third : second;
    assertThat(granted.join())
        .extracting(task -> task.run().position().attempt())
        .containsExactly(2);
    assertThat(house.complete(first)).isInstanceOf(TaskLost.class);
    assertThat(house.complete(granted.join().getFirst()))
        .isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(house.look(run).status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("R9: a completion that is sent again is told it is done, also much later")
  void completeAgain() {
    var run = house.start(House.task("charge"), House.task("ship"), House.task("mail"));
    var charge = house.pollOne("1");
    house.complete(charge);
    house.complete(house.pollOne("2"));

    var again = house.complete(charge);

    assertThat(again)
        .isInstanceOfSatisfying(
            CompleteTaskOutcome.Completed.class, done -> assertThat(done.already()).isTrue());
    house.complete(house.pollOne("3"));
    assertThat(house.look(run))
        .extracting(Run::status, Run::version)
        .containsExactly(RunStatus.COMPLETED, 8L);
  }
}
