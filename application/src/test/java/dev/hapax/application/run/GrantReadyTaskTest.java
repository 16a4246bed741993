package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A task that becomes ready is granted to a waiting poll in the commit that makes it ready. */
class GrantReadyTaskTest {
  private static final Duration WAIT = Duration.ofSeconds(20);
  private final House house = new House();
  private CompletableFuture<List<Task>> poll = new CompletableFuture<>();
  private int commandsBefore;

  @BeforeEach
  void park() {
    poll = house.poll("first", WAIT);
    assertThat(poll).isNotDone();
    commandsBefore = house.steered.submitted();
  }

  private Task granted(CompletableFuture<List<Task>> call) {
    assertThat(call).isDone();
    assertThat(call.join()).hasSize(1);
    return call.join().getFirst();
  }

  @Test
  @DisplayName("given a waiting poll, when a run starts, then one commit starts and grants it")
  void start() {
    var run = house.start(House.task("charge"));

    assertThat(house.steered.submitted()).isEqualTo(commandsBefore + 1);
    var task = granted(poll);
    assertThat(task.run().id()).isEqualTo(run.id());
    assertThat(house.look(run).status()).isEqualTo(RunStatus.RUNNING);
    house.complete(task);
    assertThat(house.look(run).status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("given a waiting poll, when a signal or a timer makes a task ready, it is granted")
  void signalAndTimer() {
    var signalled = house.start(House.signal("paid", "paid"), House.task("ship"));
    house.signal(signalled, "s1", "paid");
    assertThat(granted(poll).run().id()).isEqualTo(signalled.id());

    poll = house.poll("second", WAIT);
    var timed = house.start(House.timer("wait", Duration.ofSeconds(3)), House.task("ship"));
    house.pass(Duration.ofSeconds(4));
    assertThat(granted(poll).run().id()).isEqualTo(timed.id());
  }

  @Test
  @DisplayName("given a poll is cancelled during a grant, then the task is returned")
  void cancelled() {
    house.steered.holdAnswers();
    var starting = house.startLater(House.task("charge"));
    poll.cancel(false);
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(starting).isDone();
    var task = house.pollOne("second");
    assertThat(task.run().position().attempt()).isOne();
  }

  @Test
  @DisplayName("given a poll ends during a grant, then it returns the task")
  void over() {
    house.steered.holdAnswers();
    var starting = house.startLater(House.task("charge"));
    house.pass(WAIT);
    assertThat(poll).isNotDone();
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(granted(poll).run().id()).isEqualTo(starting.join().id());
  }

  @Test
  @DisplayName("given a poll is retried during a grant, then both calls get the same grant")
  void sentAgain() {
    house.steered.holdAnswers();
    var starting = house.startLater(House.task("charge"));
    var again = house.poll("first", WAIT);
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(starting).isDone();
    assertThat(granted(again).run().claim()).isEqualTo(granted(poll).run().claim());
    // the connection of the first call was cut: the second one still holds the task
    house.tasks.returnUndelivered(granted(poll));
    assertThat(house.poll("other", Duration.ZERO).join()).isEmpty();
  }

  @Test
  @DisplayName("given more starts than places, each task is granted once")
  void moreThanPlaces() {
    house.steered.holdAnswers();
    var runs =
        IntStream.range(0, 15).mapToObj(_ -> house.startLater(House.task("charge"))).toList();
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(poll.join()).hasSize(10);
    assertThat(house.poll("second", Duration.ZERO).join()).hasSize(5);
    assertThat(runs).allMatch(CompletableFuture::isDone);
  }

  @Test
  @DisplayName("given a poll that claims a backlog, a start takes its spare place in one answer")
  void besideBacklog() {
    poll.cancel(false);
    var backlog = house.start(House.task("charge"));
    house.steered.holdAnswers();
    var claiming = house.poll("second", WAIT);
    commandsBefore = house.steered.submitted();
    var starting = house.startLater(House.task("charge"));
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(house.steered.submitted()).isEqualTo(commandsBefore + 1);
    assertThat(claiming.join())
        .extracting(task -> task.run().id())
        .containsExactlyInAnyOrder(backlog.id(), starting.join().id());
  }

  @Test
  @DisplayName(
      "given a poll whose claim and reservation yield no task, then it waits and gets the next one")
  void nothingBesideBacklog() {
    assertThat(house.startKeyed("order-1", House.task("charge"))).isDone();
    var backlog = house.start(House.task("charge"));
    house.claimElsewhere(backlog);
    house.steered.holdAnswers();
    var claiming = house.poll("second", WAIT);
    var duplicate = house.startKeyed("order-1", House.task("charge"));
    house.steered.holdNothing();
    house.steered.letGo();

    assertThat(duplicate.join()).isInstanceOf(StartOutcome.Existing.class);
    assertThat(claiming).isNotDone();
    var run = house.start(House.task("charge"));
    assertThat(granted(claiming).run().id()).isEqualTo(run.id());
  }

  @Test
  @DisplayName("given a start whose batch fails, the poll waits on and gets the next task")
  void fails() {
    house.steered.refuseNext(new LedgerException.Unavailable("the database is away"));
    assertThat(house.startLater(House.task("charge"))).isCompletedExceptionally();
    assertThat(poll).isNotDone();

    var run = house.start(House.task("charge"));
    assertThat(granted(poll).run().id()).isEqualTo(run.id());
  }

  @Test
  @DisplayName("given a start that is a duplicate, the poll waits on and gets the next task")
  void duplicate() {
    var first = house.startKeyed("order-1", House.task("charge")).join();
    assertThat(granted(poll).run()).isNotNull();
    poll = house.poll("second", WAIT);
    assertThat(house.startKeyed("order-1", House.task("charge")).join())
        .isEqualTo(new StartOutcome.Existing(((StartOutcome.Created) first).run().id()));
    assertThat(poll).isNotDone();

    var run = house.start(House.task("charge"));
    assertThat(granted(poll).run().id()).isEqualTo(run.id());
  }
}
