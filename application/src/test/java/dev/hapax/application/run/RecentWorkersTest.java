package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.testkit.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecentWorkersTest {
  private static final Workspace WORKSPACE = new Workspace("house");
  private static final List<String> MANY =
      IntStream.range(0, PollRequest.MAX_QUEUES).mapToObj(i -> "queue " + i).toList();

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE);
  private final RecentWorkers recent = new RecentWorkers(new SettableClock(), nanos::get);

  private void polled(String worker, List<String> queues) {
    recent.polled(
        new PollRequest(WORKSPACE, queues, worker, Optional.empty(), 1, PrincipalName.NONE));
  }

  private List<String> workers() {
    return recent.of(WORKSPACE).stream().map(WorkerPoll::worker).toList();
  }

  @Test
  @DisplayName("a worker is known for ten minutes after its last poll")
  void age() {
    polled("stays", List.of("orders"));
    polled("goes", List.of("orders"));
    nanos.addAndGet(RecentWorkers.KEPT.toNanos() - 1);
    polled("stays", List.of("orders", "mail"));
    assertThat(workers()).containsExactly("goes", "stays");

    nanos.addAndGet(1);

    assertThat(recent.of(new Workspace("other"))).isEmpty();
    assertThat(recent.size()).as("also without a poll").isEqualTo(3);
    assertThat(workers()).containsExactly("stays");
  }

  @Test
  @DisplayName("of very many names the oldest workers are forgotten, however many queues each had")
  void names() {
    for (var worker = 0; worker < 1_000; worker++) {
      polled("worker " + worker, MANY);
      assertThat(recent.size()).isLessThanOrEqualTo(RecentWorkers.MAX_NAMES);
    }
    assertThat(workers()).hasSize(RecentWorkers.MAX_NAMES / 101).endsWith("worker 999");
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(workers()).isEmpty();
    assertThat(recent.size()).isZero();
  }
}
