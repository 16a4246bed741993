package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.ReturnUndeliveredTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.TaskLost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TasksTest {
  private static final Duration WAIT = Duration.ofSeconds(20);
  private final House house = new House();

  @Test
  @DisplayName("a run of one step is polled, completed, and over at version 4 [R6]")
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
  @DisplayName("given a retried poll, then it gets the same task and fence [X1]")
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
  @DisplayName("given a retry while the first poll waits, then the retry gets later tasks")
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
  @DisplayName(
      "given an expired lease, then another worker gets the step and the first is "
          + "rejected [R8, R12]")
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
  @DisplayName("given a retried completion, also much later, then it is reported as done [R9]")
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

  @Test
  @DisplayName(
      "given a task delivered twice, when the first delivery is returned, then it stays held")
  void deliveredAgain() {
    var run = house.start(House.task("charge"));
    var first = house.pollOne("poll");
    var again = house.pollOne("poll");

    house.tasks.returnUndelivered(first);

    assertThat(house.poll("other", Duration.ZERO).join()).isEmpty();
    assertThat(house.complete(again)).isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(house.look(run).status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("a task whose last failure cannot be read is delivered without it")
  void failureUnreadable() {
    house.start(House.task("charge"));
    var first = house.pollOne("first");
    house.fail(first);
    house.pass(Duration.ofSeconds(10));
    house.broken.add("events");

    var second = house.pollOne("second");

    assertThat(second.run().position().attempt()).isEqualTo(2);
    assertThat(second.failure()).isEmpty();
  }

  @Test
  @DisplayName(
      "given an unreadable task, then it is returned without costing an attempt, and others arrive")
  void unreadable() {
    var unreadable = house.start(House.task("charge"));
    house.signal(unreadable, "signal", "note");
    var readable = house.start(House.task("charge"));
    house.broken.add("inbox");

    var tasks = house.poll("first", Duration.ZERO).join();
    assertThat(tasks).extracting(task -> task.run().id()).containsExactly(readable.id());
    house.pass(Duration.ofSeconds(1));
    assertThat(house.poll("second", Duration.ZERO)).isCompletedExceptionally();
    house.broken.clear();
    assertThat(house.poll("at once", Duration.ZERO).join()).isEmpty();
    house.pass(Duration.ofSeconds(2));

    assertThat(house.pollOne("third").run().position().attempt()).isEqualTo(1);
    assertThat(house.places.size()).isZero();
  }

  @Test
  @DisplayName("given an unreadable task, then it is offered with exponential backoff")
  void unreadableForLong() {
    var run = house.start(House.task("charge"));
    house.signal(run, "signal", "note");

    assertThat(unreadableFor(Duration.ofMinutes(10))).isBetween(12, 16);

    house.tasks.returnUndelivered(house.pollOne("readable"));
    assertThat(unreadableFor(Duration.ofSeconds(10))).isGreaterThanOrEqualTo(3);
  }

  /** How often the task is offered meanwhile. */
  private int unreadableFor(Duration time) {
    house.broken.add("inbox");
    var offered = 0;
    for (var second = 0; second < time.toSeconds(); second++) {
      if (house.poll("poll " + house.clock.instant(), Duration.ZERO).isCompletedExceptionally()) {
        offered++;
      }
      house.pass(Duration.ofSeconds(1));
    }
    house.pass(ReadBackoff.LONGEST);
    house.broken.clear();
    return offered;
  }

  @Test
  @DisplayName("given an overloaded ledger, then the return of a task is retried")
  void givenBackAgain() {
    var run = house.start(House.task("charge"));
    var task = house.pollOne("first");
    house.steered.refuseNext(new LedgerException.Overloaded("commands", Duration.ofMillis(50)));
    house.steered.refuseNext(new LedgerException.Overloaded("commands", Duration.ofMillis(50)));

    house.tasks.returnUndelivered(task);
    assertThat(house.look(run).held()).isPresent();
    house.pass(Duration.ofMillis(100));

    assertThat(house.look(run).held()).isEmpty();
    assertThat(house.pollOne("second").run().position().attempt()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given a return with unknown outcome, then it is not retried, or it could return another delivery")
  void givenBackOnce() {
    var run = house.start(House.task("charge"));
    var first = house.pollOne("poll");
    var again = house.pollOne("poll");
    house.steered.loseNext(ReturnUndeliveredTask.class, new LedgerException.Unavailable("lost"));

    house.tasks.returnUndelivered(first);
    house.pass(Duration.ofSeconds(5));

    assertThat(house.look(run).held()).isPresent();
    assertThat(house.complete(again)).isInstanceOf(CompleteTaskOutcome.Completed.class);
  }

  @Test
  @DisplayName("given a retry during the first grant, then it gets the same tasks")
  void whileGranted() {
    house.start(House.task("charge"));
    house.steered.holdAnswers();
    var first = house.poll("poll", WAIT);
    // what the first was granted is remembered here: the database is not asked
    house.broken.add("polled");
    var again = house.poll("poll", WAIT);
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(again.join()).hasSize(1);
    assertThat(again.join().getFirst().run().claim())
        .isEqualTo(first.join().getFirst().run().claim());
  }

  @Test
  @DisplayName("given a retry before the first poll searches, then it gets later tasks")
  void beforeTheFirstLooks() {
    var lookUp = new CompletableFuture<Void>();
    house.held.put("polled", lookUp);
    var first = house.poll("poll", WAIT);
    var again = house.poll("poll", WAIT);
    lookUp.complete(null);

    house.start(House.task("charge"));

    assertThat(first).isCompletedWithValue(List.of());
    assertThat(again).isCompletedWithValueMatching(tasks -> tasks.size() == 1);
  }

  @Test
  @DisplayName(
      "given a failed claim, then its task is searched at once, though the poll got another")
  void oneClaimFails() {
    house.start(House.task("charge"));
    house.start(House.task("charge"));
    house.steered.refuseNext(new LedgerException.Overloaded("commands", Duration.ofMillis(50)));

    assertThat(house.poll("first", Duration.ZERO).join()).hasSize(1);

    assertThat(house.poll("second", Duration.ZERO).join()).hasSize(1);
  }

  @Test
  @DisplayName("the remaining lease is measured by the database's clock, also of a retried poll")
  void leaseOfAgain() {
    house.start(House.task("charge"));
    var first = house.pollOne("poll");
    house.pass(Duration.ofSeconds(10));

    var again = house.pollOne("poll");

    assertThat(first.leaseRemaining()).isBetween(House.LEASE, House.LEASE.plusSeconds(9));
    assertThat(again.leaseRemaining()).isBetween(House.LEASE, House.LEASE.plusSeconds(9));
  }
}
