package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import dev.hapax.domain.run.Phase;
import dev.hapax.domain.run.RunReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TaskPollTest {
  private static final Duration WAIT = Duration.ofSeconds(20);
  private final House house = new House();
  private final RunReads reads = new InMemoryRunReads(house.ledger, house.clock);
  private final PolledQueues dispatch = new PolledQueues(reads, house.clock, house.scheduler);
  private final RunDispatcher routes =
      new RunDispatcher(
          house.ledger, reads, house.clock, new DueRunTimes(), dispatch, new Random(1)::nextLong);
  private final List<TaskQueue> queues = dispatch.queues(House.WORKSPACE, List.of(House.QUEUE));

  private TaskPoll poll() {
    return poll(1);
  }

  private TaskPoll poll(int atMost) {
    return new TaskPoll(
        new PollRequest(
            House.WORKSPACE,
            List.of(House.QUEUE),
            "worker",
            Optional.empty(),
            atMost,
            PrincipalName.NONE),
        System.nanoTime(),
        queues,
        house.ledger,
        routes,
        new TaskDelivery(house.ledger, new TaskReader(reads), routes, house.scheduler),
        new Random(1)::nextLong,
        house.scheduler);
  }

  @Test
  @DisplayName("a task offered while a poll is leaving goes to the next poll")
  void leaving() {
    var leaving = poll().start(WAIT);
    var waiting = poll().start(WAIT);
    var run = house.start(House.task("charge"));
    // before the poll itself has left the queue: the last to be added is the first to be called
    var _ = leaving.whenComplete((_, _) -> queues.getFirst().offer(run.id()));

    leaving.cancel(false);

    assertThat(waiting).isDone();
    assertThat(waiting.join().tasks())
        .extracting(claimed -> claimed.run().id())
        .containsExactly(run.id());
  }

  @Test
  @DisplayName(
      "given another node makes tasks ready, then one notification serves all waiting polls")
  void madeElsewhere() {
    var polls = IntStream.range(0, 5).mapToObj(i -> house.poll("poll " + i, WAIT)).toList();
    for (var i = 0; i < 50; i++) {
      house.startElsewhere(House.task("charge"));
    }

    house.steered.commitElsewhere();
    house.pass(Duration.ofSeconds(1));

    assertThat(polls).allMatch(CompletableFuture::isDone);
    assertThat(polls).allSatisfy(poll -> assertThat(poll.join()).hasSize(10));
  }

  @Test
  @DisplayName("a poll that was cancelled while it scanned claims nothing")
  void cancelledDuringScan() {
    house.startElsewhere(House.task("charge"));
    var scan = new CompletableFuture<Void>();
    house.held.put("ready", scan);
    var poll = house.poll("cancelled", WAIT);
    var submitted = house.steered.submitted();

    poll.cancel(false);
    scan.complete(null);

    assertThat(house.steered.submitted()).isEqualTo(submitted);
  }

  @Test
  @DisplayName(
      "given a claim is rejected as overloaded, then the poll claims the same task after the pause")
  void overloaded() {
    assertThat(house.poll("polls the queue", Duration.ZERO).join()).isEmpty();
    house.start(House.task("charge"));
    house.steered.refuseNext(new LedgerException.Overloaded("commands", Duration.ofSeconds(2)));
    house.broken.add("ready");

    var poll = house.poll("refused", WAIT);
    house.pass(Duration.ofMillis(1_900));
    assertThat(poll).isNotDone();
    house.pass(Duration.ofMillis(200));

    assertThat(poll).isDone();
    assertThat(poll.join()).hasSize(1);
  }

  @Test
  @DisplayName("given a backlog, a task that becomes ready does not overtake it")
  void backlogFirst() {
    var waiting = poll();
    var _ = waiting.start(WAIT);
    assertThat(reserve(Instant.EPOCH)).contains(waiting);
    waiting.decided(Optional.empty());

    queues.getFirst().putBack(house.start(House.task("charge")).id());

    assertThat(reserve(Instant.EPOCH)).isEmpty();
  }

  private Optional<TaskPoll> reserve(Instant batch) {
    return dispatch.reserve(House.WORKSPACE, House.QUEUE, batch, System.nanoTime());
  }

  @Test
  @DisplayName(
      "given a reservation for one batch, then a task of another batch goes to another poll")
  void onePollForABatch() {
    var first = poll(10);
    var _ = first.start(WAIT);
    assertThat(reserve(Instant.EPOCH)).contains(first);
    assertThat(reserve(Instant.EPOCH.plusMillis(1))).isEmpty();

    var second = poll(10);
    var _ = second.start(WAIT);
    assertThat(reserve(Instant.EPOCH.plusMillis(1))).contains(second);
    first.decided(Optional.empty());
    assertThat(reserve(Instant.EPOCH.plusMillis(2))).contains(first);
  }

  @Test
  @DisplayName(
      "given a poll that was granted one claim twice, then its answer has it once, and the copy is"
          + " returned [kill-loops-1]")
  void once() {
    var run = house.start(House.task("charge")).id();
    var attempt = Optional.of(new UUID(0, 1));
    var claim = new ClaimTask(run, House.QUEUE, "worker", attempt, 7, PrincipalName.NONE);
    var granted = (Claimed) house.ledger.submit(claim).join();
    var again = (Claimed) house.ledger.submit(claim).join();
    var waiting = poll(10);
    var answer = waiting.start(WAIT);
    assertThat(reserve(Instant.EPOCH)).contains(waiting);
    assertThat(reserve(Instant.EPOCH)).contains(waiting);

    waiting.decided(Optional.of(granted));
    waiting.decided(Optional.of(again));

    assertThat(answer.join().tasks()).containsExactly(granted);
    assertThat(reads.find(run).join().orElseThrow().held().orElseThrow())
        .extracting(Phase.Held::deliveries)
        .isEqualTo(1);
  }
}
