package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PolledQueuesTest {
  private final SettableClock clock = new SettableClock();
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final ManualScheduler scheduler = new ManualScheduler(clock);
  private final PolledQueues dispatch =
      new PolledQueues(new InMemoryRunReads(ledger, clock), clock, scheduler);

  @Test
  @DisplayName("queues that no poll uses for a minute are dropped")
  void unused() {
    for (var i = 0; i < 1_000; i++) {
      dispatch.queues(House.WORKSPACE, List.of("queue of worker " + i));
    }
    scheduler.advance(Duration.ofSeconds(59));
    dispatch.requestScan();
    assertThat(dispatch.size()).isEqualTo(1_000);
    var used = dispatch.queues(House.WORKSPACE, List.of("queue of worker 7"));

    scheduler.advance(Duration.ofSeconds(1));
    dispatch.requestScan();

    assertThat(dispatch.size()).isEqualTo(1);
    assertThat(dispatch.queues(House.WORKSPACE, List.of("queue of worker 7"))).isEqualTo(used);
  }
}
