package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PollPaceTest {
  private static final Duration AT_ONCE = Duration.ZERO;

  private long nanos;
  private final PollPace<String> pace = new PollPace<>(() -> nanos);
  private final List<Duration> waits = new ArrayList<>();

  @Test
  @DisplayName("ten empty polls are free; each further one waits twice as long, up to a second")
  void grows() {
    pollInVain(PollPace.FREE_POLLS);
    assertThat(waits).containsOnly(AT_ONCE);

    waits.clear();
    pollInVain(9);

    assertThat(waits.stream().map(Duration::toMillis))
        .containsExactly(10L, 20L, 40L, 80L, 160L, 320L, 640L, 1_000L, 1_000L);
  }

  @Test
  @DisplayName("given a caller pauses or gets a result, then its rate limit is reset")
  void beginsAnew() {
    pollInVain(PollPace.FREE_POLLS);
    nanos += PollPace.PAUSE.toNanos();
    assertThat(nextWait(List.of("task"))).isEqualTo(AT_ONCE);

    pollInVain(PollPace.FREE_POLLS);
    assertThat(nextWait(List.of("task"))).isEqualTo(Duration.ofMillis(10));
    assertThat(nextWait(List.of())).isEqualTo(AT_ONCE);
  }

  @Test
  @DisplayName("other pollers, and polls that wait long by themselves, keep their wait")
  void leavesOthersAlone() {
    pollInVain(PollPace.FREE_POLLS + 3);
    waits.clear();

    var _ = poll("other", AT_ONCE, List.of());
    var _ = poll("worker", Duration.ofSeconds(20), List.of());
    var _ = poll("worker", Duration.ofMillis(200), List.of());

    assertThat(waits).containsExactly(AT_ONCE, Duration.ofSeconds(20), Duration.ofMillis(200));
  }

  @Test
  @DisplayName("no poll waits longer than its deadline allows")
  void keepsTheDeadline() {
    pollInVain(PollPace.FREE_POLLS + 5);
    waits.clear();

    var _ =
        pace.poll(
            "worker",
            new PollPace.Wait(AT_ONCE, Duration.ofMillis(30)),
            paced -> {
              waits.add(paced);
              return CompletableFuture.completedFuture(List.<String>of());
            },
            List::isEmpty);

    assertThat(waits).containsExactly(Duration.ofMillis(30));
  }

  @Test
  @DisplayName("given a poll fails, then it does not count")
  void fails() {
    pollInVain(PollPace.FREE_POLLS);
    var failed =
        pace.poll(
            "worker",
            PollPace.Wait.of(AT_ONCE),
            _ -> CompletableFuture.<List<String>>failedFuture(new IllegalStateException()),
            List::isEmpty);

    assertThat(failed).isCompletedExceptionally();
    assertThat(nextWait(List.of())).isEqualTo(AT_ONCE);
  }

  private void pollInVain(int polls) {
    for (var i = 0; i < polls; i++) {
      var _ = poll("worker", AT_ONCE, List.of());
      nanos += PollPace.PAUSE.toNanos() / 2;
    }
  }

  private Duration nextWait(List<String> answer) {
    var _ = poll("worker", AT_ONCE, answer);
    return waits.getLast();
  }

  private CompletableFuture<List<String>> poll(String poller, Duration wait, List<String> answer) {
    return pace.poll(
        poller,
        PollPace.Wait.of(wait),
        paced -> {
          waits.add(paced);
          return CompletableFuture.completedFuture(answer);
        },
        List::isEmpty);
  }
}
