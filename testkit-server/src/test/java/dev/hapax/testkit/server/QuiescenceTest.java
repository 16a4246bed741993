package dev.hapax.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.TaskClaim;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Quiescence with a fake real time. */
final class QuiescenceTest {
  private static final RunId RUN = new RunId(new Workspace("test"), new UUID(0, 1));
  private static final TaskClaim CLAIM = new TaskClaim(RUN, 0, 7, new Fence(1));
  private static final PendingWork HELD = new PendingWork.Held(CLAIM, "worker-1");
  private static final RunReads.Queue QUEUE = new RunReads.Queue(RUN.workspace(), "orders");
  private static final PendingWork POLLED = new PendingWork.Offered(RUN, QUEUE, true);
  private static final PendingWork LYING = new PendingWork.Offered(RUN, QUEUE, false);

  private final Clockwork time = new Clockwork();
  private int ticks;

  private static final class Clockwork implements RealTime {
    private long now;

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void pause(long nanos) {
      now += nanos;
    }

    Duration passed() {
      return Duration.ofNanos(now);
    }
  }

  private Quiescence calm(Function<Duration, List<PendingWork>> motions) {
    return new Quiescence(() -> motions.apply(time.passed()), () -> ticks++, time);
  }

  private static boolean before(Duration now, int seconds) {
    return now.toSeconds() < seconds;
  }

  @Test
  @DisplayName("given no pending work, then it does not wait")
  void nothing() {
    calm(_ -> List.of()).await(_ -> false);

    assertThat(time.passed()).isZero();
  }

  @Test
  @DisplayName("it waits for held tasks, except for ignored ones")
  void held() {
    var calm = calm(now -> before(now, 3) ? List.of(HELD) : List.of());

    calm.await(CLAIM::equals);
    assertThat(time.passed()).isZero();

    calm.await(_ -> false);
    assertThat(time.passed()).isBetween(Duration.ofSeconds(3), Duration.ofMillis(3_010));
  }

  @Test
  @DisplayName("given a task that is never completed, then the error names its holder")
  void forEver() {
    assertThatThrownBy(() -> calm(_ -> List.of(HELD)).await(_ -> false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("after 30 s")
        .hasMessageContaining("worker-1");
  }

  @Test
  @DisplayName("given a queue without polls, then it waits for a worker once")
  void deserted() {
    var calm = calm(_ -> List.of(LYING));

    calm.await(_ -> false);
    assertThat(time.passed()).isBetween(Duration.ofSeconds(5), Duration.ofMillis(5_010));

    var first = time.passed();
    calm.await(_ -> false);
    assertThat(time.passed()).isEqualTo(first);
  }

  @Test
  @DisplayName("given a worker starts, then it waits for it, also between two polls")
  void comes() {
    var calm =
        calm(
            now ->
                before(now, 6)
                    ? List.of(LYING)
                    : before(now, 8)
                        ? List.of(POLLED)
                        : before(now, 9) ? List.of(LYING) : List.of());
    calm.await(_ -> false);
    time.pause(Duration.ofSeconds(1).toNanos());

    calm.await(_ -> false);

    assertThat(time.passed()).isBetween(Duration.ofSeconds(9), Duration.ofMillis(9_010));
  }

  @Test
  @DisplayName("given a busy worker, then its queue is not abandoned")
  void handsFull() {
    var calm =
        calm(
            now ->
                before(now, 10)
                    ? List.of(HELD, LYING)
                    : before(now, 12) ? List.of(LYING) : List.of());

    calm.await(_ -> false);

    assertThat(time.passed()).isBetween(Duration.ofSeconds(12), Duration.ofMillis(12_010));
  }

  @Test
  @DisplayName("given work that the timer does not know, then it is decided")
  void undecided() {
    calm(_ -> ticks == 0 ? List.of(new PendingWork.Undecided(RUN)) : List.of()).await(_ -> false);

    assertThat(ticks).isEqualTo(1);
  }

  @Test
  @DisplayName("an interrupt ends the wait, and the flag stays set")
  void interrupted() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> calm(_ -> List.of(HELD)).await(_ -> false))
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }
}
