package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.run.RunReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PollTest {
  private static final Duration WAIT = Duration.ofSeconds(20);
  private final House house = new House();
  private final RunReads reads = new InMemoryRunReads(house.ledger, house.clock);
  private final Dispatch dispatch = new Dispatch(reads, house.clock, house.scheduler);
  private final RunRoutes routes =
      new RunRoutes(house.ledger, reads, house.clock, new DueRuns(), dispatch);
  private final List<TaskQueue> queues = dispatch.queues(House.WORKSPACE, List.of(House.QUEUE));

  private Poll poll() {
    return new Poll(
        new PollRequest(House.WORKSPACE, List.of(House.QUEUE), "worker", Optional.empty(), 1),
        System.nanoTime(),
        queues,
        house.ledger,
        routes,
        new TaskDelivery(house.ledger, new TaskReading(reads), routes, house.scheduler),
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
    assertThat(waiting.join().granted())
        .extracting(claimed -> claimed.run().id())
        .containsExactly(run.id());
  }
}
